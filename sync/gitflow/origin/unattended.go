package origin

import (
	"context"
	"os/exec"
	"path"
	"strings"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// silentHTTP are settings with which git gives up a repository that has said nothing for a while, as when packets vanish on the way. A
// repository at work says something every 5 s, but not while its own hooks run.
var silentHTTP = [][2]string{{"http.lowSpeedLimit", "1"}, {"http.lowSpeedTime", "60"}}

// silentSSH are the same for OpenSSH. It asks the other side by itself, which answers also when git there has nothing to say. What the
// captain's own command says comes first and counts.
const silentSSH = " -o ConnectTimeout=15 -o ServerAliveInterval=5 -o ServerAliveCountMax=3"

// unattended returns the environment in which a git that works by itself asks nothing, and gives up a repository that says nothing. env is
// the environment that it has otherwise.
func unattended(ctx context.Context, dir string, env []string) ([]string, error) {
	env = append(env, git.Silent...)
	command, err := sshCommand(ctx, dir, env)
	if err != nil || !isOpenSSH(command) {
		return env, err
	}
	return append(env, "GIT_SSH_COMMAND="+command+silentSSH), nil
}

// sshCommand returns the shell's command that git would run as ssh.
func sshCommand(ctx context.Context, dir string, env []string) (string, error) {
	set := map[string]string{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		set[name] = value
	}
	if command := set["GIT_SSH_COMMAND"]; command != "" {
		return command, nil
	}
	cmd := exec.CommandContext(ctx, "git", "config", "--get", "core.sshCommand")
	cmd.Dir, cmd.Env = dir, env
	b := bounded.Refuse(git.MaxOutput)
	if err := git.RunCommand(ctx, cmd, nil, b); err != nil && git.ExitCode(err) != 1 {
		return "", err
	}
	if command := strings.TrimSuffix(b.String(), "\n"); command != "" {
		return command, nil
	}
	if program := set["GIT_SSH"]; program != "" {
		return "'" + strings.ReplaceAll(program, "'", `'\''`) + "'", nil
	}
	return "ssh", nil
}

// isOpenSSH reports whether a command runs OpenSSH's ssh, as git judges by the name of the program.
func isOpenSSH(command string) bool {
	command = strings.TrimSpace(command)
	end := strings.IndexAny(command, " \t")
	for _, quote := range []string{"'", `"`} {
		if rest, ok := strings.CutPrefix(command, quote); ok {
			command, end = rest, strings.Index(rest, quote)
		}
	}
	if end >= 0 {
		command = command[:end]
	}
	return path.Base(command) == "ssh"
}
