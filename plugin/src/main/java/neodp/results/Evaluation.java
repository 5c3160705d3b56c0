package neodp.results;

import java.util.List;
import java.util.Map;
import org.neo4j.procedure.Description;

/** The mechanism at one dataset, and why. */
public final class Evaluation {
    @Description("The dataset.")
    public String key;

    @Description("Its true answer.")
    public String color;

    @Description("The possible answers, the first colour first.")
    public List<String> colors;

    @Description("The chance of each answer.")
    public Map<String, Object> probabilities;

    @Description("The chance of the true answer.")
    public double pTrue;

    @Description("The dataset whose alpha decides; null where none does.")
    public String decider;

    @Description("From the decider to the dataset.")
    public List<String> path;

    @Description("Of the edges along the path.")
    public List<Double> epsilons;

    @Description("Of the edges along the path.")
    public List<Double> deltas;

    @Description("How many datasets were looked at.")
    public long seen;

    @Description("Of how many datasets the edges were looked at.")
    public long expanded;

    @Description("How often edges were asked for; 0 where the whole graph was extended.")
    public long layers;

    @Description("How many edges the farthest dataset seen is away.")
    public long reach;

    @Description("How many alpha were rounded in.")
    public long rounded;

    @Description("Why nothing else matters.")
    public String proof;
}
