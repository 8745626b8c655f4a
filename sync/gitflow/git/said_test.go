package git

import "testing"

// TestTellingLine finds the line of a complaint that says most.
func TestTellingLine(t *testing.T) {
	const after = "\n\nPlease make sure you have the correct access rights\nand the repository exists.\n"
	for complaint, want := range map[string]string{
		"": "",
		"warning: odd\nfatal: not a repository\nhint: try again\n": "not a repository",
		"fatal: one\nerror: two\n":                                 "two",
		"error: two\nfatal: one\n":                                 "two",
		"something\nelse\n":                                        "else",
		"ssh: connect to host a port 22: No route to host\r\nfatal: Could not read from remote repository.": "ssh: connect to host a port 22: No route to host",
		"Timeout, server a not responding.\r\nfatal: the remote end hung up unexpectedly\n":                 "Timeout, server a not responding.",
		"git@a: Permission denied (publickey).\r\nfatal: Could not read from remote repository." + after:    "git@a: Permission denied (publickey).",
		"fatal: Could not read from remote repository.\n":                                                   "Could not read from remote repository.",
	} {
		if got := tellingLine(complaint); got != want {
			t.Errorf("of %q: %q, want %q", complaint, got, want)
		}
	}
}
