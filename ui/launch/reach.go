package launch

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ocaptain/tasks"
	"ocaptain/ui/clean"
)

// reaching bounds the check that a repository can be read.
const reaching = time.Minute

// reach makes sure that the repository is there and may be read, before anything is made.
func (y Yard) reach(ctx context.Context, o *Order) error {
	if o.Repo.Kind == tasks.RepoFresh {
		return nil
	}
	limit, cancel := context.WithTimeout(ctx, reaching)
	defer cancel()
	cmd := exec.CommandContext(limit, "git", "ls-remote", "--quiet", "--", o.source, "HEAD")
	cmd.Dir = y.Hub.Home
	cmd.Env = append(os.Environ(), gitLogin(o.github)...)
	if !y.Asks {
		cmd.Env = append(cmd.Env, "GIT_ASKPASS=true", "SSH_ASKPASS=true", "SSH_ASKPASS_REQUIRE=force")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	hint := ""
	switch {
	case o.Repo.Kind == tasks.RepoGitHub && o.github == "":
		hint = "for a private repository set GH_TOKEN"
	case o.Repo.Kind == tasks.RepoGitHub:
		hint = "check the name, and that GH_TOKEN may read it"
	}
	why := clean.Line(strings.Join(strings.Fields(said.String()), " "))
	switch {
	case limit.Err() != nil:
		why = "no answer within a minute"
	case why == "":
		why = err.Error()
	}
	return problem(Failed, Repo, hint, "repository %s cannot be read: %s", o.Repo, why)
}

// gitLogin is the environment with which git reads the repository: it never asks on a
// terminal, and on GitHub alone it logs in with the token, which stays out of arguments and addresses.
func gitLogin(token string) []string {
	env := []string{"GIT_TERMINAL_PROMPT=0"}
	if token == "" {
		return env
	}
	const helper = `!f() { test "$1" = get && printf 'username=x-access-token\npassword=%s\n' "$OCAPTAIN_GIT_TOKEN"; }; f`
	return append(env, "OCAPTAIN_GIT_TOKEN="+token, "GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=credential.https://github.com.helper", "GIT_CONFIG_VALUE_0=",
		"GIT_CONFIG_KEY_1=credential.https://github.com.helper", "GIT_CONFIG_VALUE_1="+helper)
}
