"""The layout of a canvas, whatever it holds."""

from flows.checks.sample_workflows import chain
from frontdesk_sandbox.graphs import COLUMN_WIDTH, arrange_nodes


def test_what_is_no_node_or_no_id_stays_and_the_others_are_laid_out() -> None:
    nodes = [7, {"id": {"x": 1}, "parentId": ["a"]}, {"id": "b"}, {"id": "in", "parentId": "b"}]
    made = arrange_nodes({"nodes": nodes, "edges": [None, {"source": [], "target": {}}]}, {"id": ["b"]})
    assert made["nodes"][0] == 7
    assert [each["position"]["x"] for each in made["nodes"][1:3]] == [0, COLUMN_WIDTH]
    assert made["nodes"][3]["extent"] == "parent"


def test_ten_thousand_nodes_are_laid_out_in_running_order() -> None:
    made = chain(10_000)
    laid = arrange_nodes(made["data"], made["trigger"])
    assert [each["position"]["x"] // COLUMN_WIDTH for each in laid["nodes"]] == list(range(10_001))
