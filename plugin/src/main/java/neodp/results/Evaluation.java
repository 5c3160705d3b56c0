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

    @Description("The dataset whose alpha decides; null if there is none.")
    public String decider;

    @Description("The path from the decider to the dataset.")
    public List<String> path;

    @Description("Of the edges along the path.")
    public List<Double> epsilons;

    @Description("Of the edges along the path.")
    public List<Double> deltas;

    @Description("The number of datasets seen.")
    public long seen;

    @Description("The number of datasets whose edges were read.")
    public long expanded;

    @Description("The number of queries for edges; 0 if the whole graph was extended.")
    public long layers;

    @Description("The distance of the farthest dataset seen, in edges.")
    public long reach;

    @Description("The number of values of alpha that were lowered to correct a rounding error.")
    public long rounded;

    @Description("The reason why nothing else matters.")
    public String proof;
}
