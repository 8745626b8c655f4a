package agent

// script is the agent without a model: it runs the command in each task.
var script = Agent{
	Name:     "script",
	Finishes: true,
	Prepare:  func(Setup) error { return nil },
	Command: func(s Setup) Command {
		return Command{Args: []string{s.Ocaptain, "aboard", "script"}}
	},
	Resumable: func(string, string) bool { return false },
}
