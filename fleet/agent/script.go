package agent

// script is an agent without a model: it runs the command that each task carries.
var script = Agent{
	Name:     "script",
	Finishes: true,
	Prepare:  func(Setup) error { return nil },
	Command: func(s Setup) Command {
		return Command{Args: []string{s.Ocaptain, "aboard", "script"}}
	},
	Resumable: func(string, string) bool { return false },
}
