"""Partitions give every dataset a block, and none is empty."""

import numpy as np
import pytest

import neodp
from neodp import blocks
from neodp.blocks.partition import pieces
from neodp.errors import GraphError


@pytest.mark.parametrize("count", [1, 2, 5, 16, 100])
def test_grown_blocks_have_equal_sizes_also_in_several_components(count: int) -> None:
    g = neodp.generate.random_geometric(60, degree=2, seed=3)  # falls into many components
    sizes = np.bincount(blocks.by_growth(g, count))
    assert len(sizes) == min(count, 60)
    assert sizes.max() - sizes.min() <= 1 + (60 % count > 0)


def test_no_axis_has_more_pieces_than_coordinates() -> None:
    assert pieces((3, 1, 2), 100) == (3, 1, 2)
    assert pieces((8, 8), 1) == (1, 1)


def test_keys_that_begin_alike_share_a_block() -> None:
    g = neodp.generate.votes(4)
    assert blocks.by_prefix(g, 2).tolist() == np.repeat(range(4), 4).tolist()
    with pytest.raises(GraphError, match="the prefix has 0 characters; give at least 1"):
        blocks.by_prefix(g, 0)
