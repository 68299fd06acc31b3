"""Tools: what a step of a run can call, each with its plan, its effect, its proof and its inverse."""
