package neodp.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;
import neodp.Text;
import neodp.call.Workers;

/**
 * A digest of keys, colours, preferences, alpha, edges, epsilons and deltas, for a graph whose keys are in order: the twin of
 * {@code fingerprint} in {@code neodp/store/records.py}.
 */
public final class Fingerprint {
    private Fingerprint() {}

    /** SHA-256 in hexadecimal digits. */
    public static String of(DatasetGraph graph, Workers workers) {
        Digest digest = new Digest(workers);
        String names = graph.colors.stream().map(Text::repr).collect(Collectors.joining(", ", "(", ")"));
        digest.bytes(("(" + names + ", " + graph.size() + ", " + graph.edges() + ")").getBytes(StandardCharsets.UTF_8));
        for (String key : graph.keys) { // twice, rather than keeping all of them
            digest.room(4).putInt(key.getBytes(StandardCharsets.UTF_8).length);
        }
        digest.bytes(graph.color);
        for (int v = 0; v < graph.size(); v++) {
            for (double[] column : graph.alpha) {
                digest.room(8).putDouble(graph.given(v) ? column[v] : Double.NaN);
            }
        }
        for (int e = 0; e < graph.edges(); e++) {
            digest.room(8).putLong(Math.min(graph.source[e], graph.target[e]));
        }
        for (int e = 0; e < graph.edges(); e++) {
            digest.room(8).putLong(Math.max(graph.source[e], graph.target[e]));
        }
        for (double x : graph.epsilon) {
            digest.room(8).putDouble(x);
        }
        for (double x : graph.delta) {
            digest.room(8).putDouble(x);
        }
        if (graph.preference != null) {
            digest.bytes(graph.preference);
        }
        for (String key : graph.keys) {
            digest.bytes(key.getBytes(StandardCharsets.UTF_8));
        }
        return digest.hex();
    }

    /** SHA-256 of little-endian columns. */
    private static final class Digest {
        private final MessageDigest sha;
        private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        private final Workers workers;

        Digest(Workers workers) {
            this.workers = workers;
            try {
                sha = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e); // every Java has it
            }
        }

        ByteBuffer room(int bytes) {
            if (buffer.remaining() < bytes) {
                flush();
            }
            return buffer;
        }

        void bytes(byte[] data) {
            for (int from = 0; from < data.length; from += buffer.capacity()) {
                int length = Math.min(data.length - from, buffer.capacity());
                room(length).put(data, from, length);
            }
        }

        private void flush() {
            workers.check();
            sha.update(buffer.array(), 0, buffer.position());
            buffer.clear();
        }

        String hex() {
            flush();
            return HexFormat.of().formatHex(sha.digest());
        }
    }
}
