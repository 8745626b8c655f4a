package repository

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow/git"
	"ocaptain/tasks"
	"ocaptain/tasks/pattern"
	"ocaptain/ui/launch/problem"
)

// reaching is the time limit of a query to a repository: whether it can be read, and where a branch is.
var reaching = time.Minute

// Check checks that the repository exists and can be read, before anything is made. home is the captain's home directory. asks says that git and
// ssh may ask for a password on the terminal.
func (w *Work) Check(ctx context.Context, home string, asks bool) error {
	if w.Repo.Kind == tasks.RepoFresh {
		return nil
	}
	limit, cancel := context.WithTimeout(ctx, reaching)
	defer cancel()
	login, end, err := git.Login("github.com", w.Token)
	if err != nil {
		return err
	}
	defer end()
	cmd := exec.CommandContext(limit, "git", "ls-remote", "--quiet", "--", w.Source, "HEAD")
	cmd.Dir = home
	cmd.Env = append(append(os.Environ(), login...), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C") // its messages are parsed
	if !asks {
		cmd.Env = append(cmd.Env, git.Silent...)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	if err = cmd.Run(); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	why := clean.Line(strings.Join(strings.Fields(said.String()), " "))
	switch {
	case limit.Err() != nil:
		return problem.New(problem.Failed, problem.Repo, "check the network and the address", "repository %s cannot be read: no answer within a minute", w.Repo)
	case why == "":
		why = err.Error()
	}
	means, fix := unreachable(w.Repo, w.Token, why)
	return problem.New(problem.Failed, problem.Repo, fix, "repository %s cannot be read: %s%s", w.Repo, means, why)
}

// refusals lists messages of git and ssh about a repository that they cannot read, with their meaning and what to do.
// The first match counts.
var refusals = []struct {
	said  func() *regexp.Regexp
	means string
	fix   string
	net   bool // the repository may exist
}{
	{pattern.New(`(?i)could not resolve host|name or service not known`), "its host is not known", "check the name of the host, and the network", true},
	{pattern.New(`(?i)host key verification failed`), "the key of its host is not known, or another one", "connect to the host once by hand with ssh, and compare its key", false},
	{pattern.New(`(?i)permission denied \(|too many authentication failures`), "your ssh key is refused", "add the key to your account there, and to the agent with: ssh-add", false},
	{pattern.New(`(?i)connection (refused|timed out|reset)|no route to host|network is unreachable|failed to connect`), "its host does not answer", "check the address and the network", true},
	{pattern.New(`(?i)dubious ownership`), "it belongs to somebody else, so git does not touch it", "git config --global --add safe.directory DIRECTORY", false},
	{pattern.New(`(?i)authentication failed|invalid (username|credentials)|error: 40[13]|write access to repository not granted`), "the login is refused", "log in with a token that may read it", false},
	{pattern.New(`(?i)repository .*not found|not found|error: 404|could not read (username|password)|terminal prompts disabled`), "it is not there, or you may not read it", "check the name, and that your login may read it", false},
	{pattern.New(`(?i)not appear to be a git repository|not a git repository|not valid: is this a git repository`), "there is no git repository", "check the path, or make one there with: git init", false},
	{pattern.New(`(?i)does not exist|no such file`), "it is not there", "check the path", false},
	{pattern.New(`(?i)certificate|ssl|tls`), "its certificate is not trusted", "check the address, and the certificates of this machine", false},
}

// unreachable explains git's message in words, and says what to do about it.
func unreachable(repo tasks.Repo, token, said string) (words, fix string) {
	net := false
	for _, r := range refusals {
		if r.said().MatchString(said) {
			words, fix, net = r.means+": ", r.fix, r.net
			break
		}
	}
	if repo.Kind == tasks.RepoGitHub && !net {
		if fix = "check the name, and that GH_TOKEN may read it"; token == "" {
			fix = "check the name; for a private repository set GH_TOKEN"
		}
	}
	return words, fix
}
