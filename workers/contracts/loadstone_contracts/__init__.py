"""What crosses a process boundary: engine plan and events, agent calls, task names."""
