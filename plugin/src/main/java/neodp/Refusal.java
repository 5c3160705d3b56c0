package neodp;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.neo4j.kernel.api.exceptions.Status;

/**
 * What neodp refuses, in the words of {@code neodp/errors.py}: one sentence that begins with what is wrong, what to do on
 * the next line, and the kind in brackets at the end.
 *
 * <p>Whoever calls a procedure sees just that: the server puts the names of the procedure and of the class before any
 * other message, but shows the message of an exception that has a status as it is. What a hint gives to type is Cypher in
 * backquotes. The client makes an error of its own kind again, by the kind and the line.
 */
public class Refusal extends RuntimeException implements Status.HasStatus {
    private static final long serialVersionUID = 1L;

    private static final boolean PATTERN = pattern();

    private final String kind;

    protected Refusal(String kind, String sentence, String hint) {
        super(sentence + ";\n" + hint + " [" + kind + "]", null, false, true);
        this.kind = kind;
    }

    /** Whether the server takes a message for a pattern, in which a percent sign is written twice: it is tried out. */
    private static boolean pattern() {
        Refusal trial = new Refusal("trial", "%%", "");
        try {
            for (Method method : Class.forName("org.neo4j.procedure.impl.ProcedureCompilation")
                    .getMethods()) {
                if (method.getName().equals("rethrowProcedureException")) {
                    Object[] arguments = new Object[method.getParameterCount()];
                    Arrays.fill(arguments, "trial");
                    arguments[0] = trial;
                    return !((Throwable) method.invoke(null, arguments))
                            .getMessage()
                            .contains("%%");
                }
            }
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return false; // as in the newer lines
        }
        return false;
    }

    /** The message as the server wants it. */
    @Override
    public String getMessage() {
        return PATTERN ? toString().replace("%", "%%") : toString();
    }

    /** The message itself. */
    @Override
    public String toString() {
        return super.getMessage();
    }

    @Override
    public Status status() {
        return Status.Procedure.ProcedureCallFailed;
    }

    public boolean is(String what) {
        return kind.equals(what);
    }

    /** A refusal of some kind. */
    public static Refusal of(String kind, String sentence, String hint) {
        return new Refusal(kind, sentence, hint);
    }

    /** A question about a graph of people whose answer would not be private. */
    public static Refusal notAskable(String sentence, String hint) {
        return new Refusal("not_askable", sentence, hint);
    }

    /** A value of the graph, or of an argument, that is not one. */
    public static Refusal graph(String sentence, String hint) {
        return new Refusal("graph", sentence, hint);
    }

    public static Refusal unknownKey(String graph, String key) {
        return new Refusal(
                "unknown_key",
                "there is no dataset " + Text.quoted(key) + " in graph " + Text.quoted(graph),
                "correct the key");
    }

    public static Refusal unhit(String graph, String sentence) {
        return new Refusal(
                "unhit_boundary",
                sentence,
                "give alpha to one of them, or use `CALL neodp.boundary.balanced.write(" + Text.cypher(graph) + ")`");
    }

    /** An order of the colours without alpha. */
    public static Refusal unhitOrder(String graph, String sentence) {
        return new Refusal(
                "unhit_boundary",
                sentence,
                "give it to one of them, or use `CALL neodp.boundary.balanced.write(" + Text.cypher(graph) + ")`");
    }

    public static Refusal ballTooLarge(String graph, int seen, int layers) {
        return new Refusal(
                "ball_too_large",
                String.format(
                        java.util.Locale.ROOT,
                        "the search has seen %,d datasets of graph %s, %,d layers, and more may matter",
                        seen,
                        Text.quoted(graph),
                        layers),
                "a pass over the whole graph is cheaper (`{engine: 'whole'}`), or raise the limit");
    }

    public static Refusal unknownGraph(String graph, String known) {
        String length = Names.tooLong("graph", graph);
        return length != null
                ? new Refusal("unknown_graph", length, Names.shorter())
                : new Refusal("unknown_graph", "there is no graph " + Text.quoted(graph) + " in this database", known);
    }

    public static Refusal unfinished(String graph, String doing) {
        return new Refusal(
                "unfinished",
                "graph " + Text.quoted(graph) + " is incomplete: its " + doing + " was interrupted or is still running",
                "load it again, or drop it");
    }

    /** What to type for a new mechanism. */
    public static String extend(String graph) {
        return "`CALL neodp.extend.write(" + Text.cypher(graph) + ")`";
    }

    public static Refusal noMechanism(String sentence, String hint) {
        return new Refusal("no_mechanism", sentence, hint);
    }

    public static Refusal stale(String graph, String written) {
        return new Refusal(
                "stale",
                "graph " + Text.quoted(graph) + " has changed since its mechanism was written, " + written,
                "run " + extend(graph) + " again");
    }

    public static Refusal changedWhileRead(String graph) {
        return new Refusal("overtaken", "graph " + Text.quoted(graph) + " was changed while it was read", "try again");
    }

    public static Refusal overtaken(String graph) {
        return new Refusal(
                "overtaken",
                "somebody else changed graph " + Text.quoted(graph)
                        + " while it was being written; their change was kept",
                "look at it with `MATCH (g:DatasetGraph {name: " + Text.cypher(graph)
                        + "}) RETURN g`, and repeat the change if you still want it");
    }

    /** What the caller's transaction has changed, and a procedure would have to write. */
    public static Refusal uncommitted(String what, String procedure) {
        return graph(
                "your transaction has changed " + what + " and is not committed, and " + procedure
                        + ", in transactions of its own, would not see that or wait for it for ever",
                commitFirst(procedure));
    }

    /** What the caller's transaction alone sees. */
    public static Refusal unseen(String what, String procedure) {
        return graph(
                what + " was made in your transaction, which is not committed, and " + procedure
                        + " reads in transactions of its own",
                commitFirst(procedure));
    }

    private static String commitFirst(String procedure) {
        return "commit first, then call " + procedure + " in a transaction of its own";
    }

    public static Refusal privacy(String sentence, String hint) {
        return new Refusal("privacy", sentence, hint);
    }

    public static Refusal notPrivate(String sentence, String hint) {
        return new Refusal("not_private", sentence, hint);
    }

    public static Refusal notCertified(String sentence, String hint) {
        return new Refusal("not_certified", sentence, hint);
    }

    public static Refusal budgetSpent(String sentence, String hint) {
        return new Refusal("budget_spent", sentence, hint);
    }

    public static Refusal otherQuestion(String sentence, String hint) {
        return new Refusal("other_question", sentence, hint);
    }

    public static Refusal damagedRelease(Object release, Object subject) {
        return new Refusal(
                "damaged_release",
                "release " + Text.described(release) + " of " + Text.described(subject)
                        + " was altered: the store was damaged or edited",
                "restore the store from a backup, see docs/backup.md; nothing was answered");
    }

    public static Refusal damagedAccount(String population) {
        return new Refusal(
                "damaged_release",
                "the account of population " + Text.quoted(population)
                        + " cannot be read: the store was damaged or edited",
                "restore the store from a backup, see docs/backup.md; nothing was answered");
    }

    public static Refusal damagedLimit(String population) {
        return new Refusal(
                "damaged_release",
                "the limit of population " + Text.quoted(population)
                        + " is not a number: the store was damaged or edited",
                "set it with `CALL neodp.budget.set(" + Text.cypher(population) + ", {releases: N, epsilon: null})`");
    }

    /** What only the client can do. */
    public static Refusal client(String sentence, String hint) {
        return new Refusal("client", sentence, hint);
    }

    public static Refusal memory(String sentence, String hint) {
        return new Refusal("memory", sentence, hint);
    }
}
