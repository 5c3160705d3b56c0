package neodp.algorithm.rainbow;

import java.util.LinkedHashMap;
import java.util.Map;
import neodp.Text;
import neodp.algorithm.Contradiction;

/** Two boundary datasets of one order whose alpha differs. */
record OrderConflict(String order, String dataset, String color, double value, String other, double otherValue)
        implements Contradiction {
    @Override
    public String sentence() {
        return "alpha differs within the order " + order + ": Pr[" + color + "] is " + Text.general(value) + " at "
                + Text.quoted(dataset) + " and " + Text.general(otherValue) + " at " + Text.quoted(other);
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("order", order);
        out.put("dataset", dataset);
        out.put("color", color);
        out.put("value", value);
        out.put("other", other);
        out.put("otherValue", otherValue);
        out.put("sentence", sentence());
        return out;
    }
}
