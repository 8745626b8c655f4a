package origin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// Person is an author or committer, with the path of a personal ignore file.
type Person struct{ Name, Mail, Ignore string }

// CaptainOf reads the captain's identity and personal ignore file from the captain's own git settings.
func CaptainOf(ctx context.Context, dir string) (Person, error) {
	p := Person{Name: "captain", Mail: "captain@ocaptain.invalid"}
	for _, setting := range []struct {
		kind, key string
		to        *string
	}{
		{"--no-type", "user.name", &p.Name}, {"--no-type", "user.email", &p.Mail}, {"--type=path", "core.excludesFile", &p.Ignore},
	} {
		cmd := exec.CommandContext(ctx, "git", "config", setting.kind, "--get", setting.key)
		cmd.Dir = dir
		cmd.Env = append(git.ForeignEnv(), "LC_ALL=C")
		for _, kv := range os.Environ() { // these variables say where the captain's settings are
			if strings.HasPrefix(kv, "GIT_CONFIG_GLOBAL=") || strings.HasPrefix(kv, "GIT_CONFIG_SYSTEM=") {
				cmd.Env = append(cmd.Env, kv)
			}
		}
		b := bounded.Refuse(git.MaxOutput)
		err := git.RunCommand(ctx, cmd, nil, b)
		if err != nil && git.ExitCode(err) != 1 {
			return p, fmt.Errorf("captain's git settings: %w", err)
		}
		if v := strings.TrimSuffix(b.String(), "\n"); v != "" {
			*setting.to = v
		}
	}
	return p, nil
}

// CaptainIgnores returns the path of the captain's personal ignore file, "" for git's default.
func CaptainIgnores(ctx context.Context, dir string) (string, error) {
	p, err := CaptainOf(ctx, dir)
	return p.Ignore, err
}

// ParsePerson splits "Name <mail>".
func ParsePerson(s string) (Person, error) {
	name, rest, ok := strings.Cut(s, " <")
	mail, end, closed := strings.Cut(rest, ">")
	if !ok || !closed || end != "" || name == "" || strings.ContainsAny(s, "\n\x00") || strings.ContainsAny(name, "<>") || strings.Contains(mail, "<") {
		return Person{}, fmt.Errorf("author %q: must be \"Name <mail>\"", git.PlainText(s))
	}
	return Person{Name: name, Mail: mail}, nil
}
