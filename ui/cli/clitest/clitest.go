// Package clitest runs the real program as a captain does, and writes plans for it.
package clitest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ocaptain/tasks/eventually"
)

// Run runs a program in a directory. It returns the program's output, and its exit code, -1 when it was killed.
func Run(dir string, env []string, program string, args ...string) (string, int, error) {
	ctx, cancel := eventually.WithPatience(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir = env, dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.String(), exit.ExitCode(), nil
	}
	return out.String(), 0, err
}

// Write writes a file, and makes the directories above it. A script, whose name ends in .sh, is executable.
func Write(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if strings.HasSuffix(path, ".sh") {
		mode = 0o755
	}
	return os.WriteFile(path, []byte(content), mode)
}

// Task is a task of a plan. Run is the command that the script agent runs for it, and the description of a task
// without one.
type Task struct {
	ID, Subject, Run, Verify, Review, Group, Description string
	After                                                []string
}

// Plan writes a plan in the original format to a directory with the plan's name.
func Plan(dir, repo, verify string, tasks []Task) error {
	name := filepath.Base(dir)
	files := map[string]string{
		"spec.md":   "# " + name + " Specification\n\n## Objective\n\nDo all the tasks of " + name + ".\n",
		"verify.sh": verify,
		"voyage.json": encode(map[string]any{
			"name": name, "repo": repo, "recommended_ships": 3, "total_tasks": len(tasks), "created": "2026-01-02T03:04:05Z",
		}),
	}
	blocks := map[string][]string{}
	for _, t := range tasks {
		for _, a := range t.After {
			blocks[a] = append(blocks[a], t.ID)
		}
	}
	list := func(s []string) []string { return append([]string{}, s...) }
	for _, t := range tasks {
		meta := map[string]any{"voyage": name, "repo": repo, "run": t.Run}
		if t.Verify != "" {
			meta["verify"] = t.Verify
		}
		if t.Review != "" {
			meta["review"] = t.Review
		}
		if t.Group != "" {
			meta["group"] = t.Group
		}
		files["tasks/"+t.ID+".json"] = encode(map[string]any{
			"id": t.ID, "subject": t.Subject, "description": cmp.Or(t.Description, "Run: "+t.Run), "activeForm": t.Subject, "status": "pending",
			"blocks": list(blocks[t.ID]), "blockedBy": list(t.After), "metadata": meta,
		})
	}
	for file, content := range files {
		if err := Write(filepath.Join(dir, file), content); err != nil {
			return err
		}
	}
	return nil
}

func encode(v any) string {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(raw)
}
