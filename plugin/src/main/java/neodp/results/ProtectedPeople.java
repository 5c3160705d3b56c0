package neodp.results;

import java.util.List;
import neodp.asking.Protection;
import org.neo4j.procedure.Description;

/** People who are protected. */
public final class ProtectedPeople {
    @Description("The population's name.")
    public String population;

    @Description("The label or the type that is protected, and that spends.")
    public String account;

    @Description("The property that holds everybody's epsilon.")
    public String epsilon;

    @Description("The properties of people and of their owned nodes that may be asked about.")
    public List<String> properties;

    @Description("All labels that a question may name.")
    public List<String> labels;

    @Description("The share of everybody's epsilon that is left for questions.")
    public double left;

    @Description("A caution about the default epsilon; null if there is none.")
    public String caution;

    /** What is told of a protection. */
    public static ProtectedPeople of(Protection protection, double left) {
        ProtectedPeople out = new ProtectedPeople();
        out.population = protection.population();
        out.account = protection.account();
        out.epsilon = protection.epsilon();
        out.properties = protection.properties();
        out.labels = protection.labels();
        out.left = left;
        out.caution = Caution.of(protection.defaultEpsilon());
        return out;
    }
}
