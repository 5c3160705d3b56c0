// Create a graph's own node.
CREATE (:DatasetGraph {
    name: $graph, colors: $colors, state: $state, created: $created, datasets: $datasets, edges: $edges})
