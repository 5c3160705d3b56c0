// Create a graph's own node.
CREATE (:DatasetGraph {
    name: $graph, colors: $colors, state: 'ready', created: $created, datasets: $datasets, edges: $edges})
