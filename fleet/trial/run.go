package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/process"
	"ocaptain/fleet/retry"
)

// Longest is the time limit of a trial.
const Longest = 3 * time.Minute

// clause is one clause of the contract. Try returns "" when the agent keeps the clause, else what happened instead.
type clause struct {
	says   string
	weight Weight
	try    func(ctx context.Context) (why string)
}

// notTried is the finding for each clause that comes after a necessary clause that failed.
const notTried = "not tried, as another failed"

// judge tries the clauses in order, and stops at the first necessary clause that fails.
func judge(ctx context.Context, all []clause) []Finding {
	var found []Finding
	failed := false
	for _, c := range all {
		f := Finding{Clause: c.says, Weight: c.weight, Why: notTried}
		if !failed {
			f.Why = c.try(ctx)
			f.Held = f.Why == ""
			if !f.Held && ctx.Err() != nil {
				f.Why = notTried
			}
			failed = !f.Held && c.weight == Must
		}
		found = append(found, f)
	}
	return found
}

// Run tries an agent in a directory of its own, whose name must be short. It returns an error when something that the trial
// needs is missing; what the agent does wrong is in the report.
func Run(ctx context.Context, dir string, o Order) (Report, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, Longest)
	defer cancel()
	if _, err := exec.LookPath("tmux"); err != nil {
		return Report{}, errors.New("tmux is not installed, in which agents are tried")
	}
	a, err := agent.Lookup(o.Agent)
	if err != nil {
		return Report{}, err
	}
	out, err := printed(ctx, o.Program, a.Version[1:])
	if err != nil {
		return Report{}, fmt.Errorf("%s does not run: %w", strings.Join(a.Version, " "), err)
	}
	r := Report{Agent: o.Agent, Version: agent.VersionIn(out), Edition: Edition, At: began}
	if o.Version == "" {
		o.Version = r.Version
	}
	switch _, other := services[o.Agent]; {
	case a.Hooks:
		r.Findings, r.Unasked, err = tryClaude(ctx, dir, o)
	case other:
		r.Findings, err = tryTurns(ctx, dir, o)
	default:
		r.Findings, err = tryFlags(ctx, a, o)
	}
	if err != nil {
		return Report{}, err
	}
	if ctx.Err() != nil { // the agent is not to blame for a slow machine
		return Report{}, fmt.Errorf("it did not end in %s: %w: %s", Longest, ctx.Err(), short(Words(r.Broken(Must))))
	}
	r.Took = time.Since(began)
	return r, nil
}

// Serve tries what the order on stdin says, and writes the report to stdout. The trial ends early when stdin ends. Serve ends
// every process that the agent left running.
func Serve(ctx context.Context, dir string, stdin io.Reader, stdout io.Writer) error {
	var o Order
	if err := json.NewDecoder(io.LimitReader(stdin, 1<<20)).Decode(&o); err != nil {
		return fmt.Errorf("read what to try: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // the caller that waits for the report is gone
		cancel()
	}()
	if err := process.AdoptOrphans(); err != nil {
		return err
	}
	r, err := Run(ctx, dir, o)
	if err := errors.Join(err, endAll()); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(r)
}

// endAll ends all descendants of this process.
func endAll() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return retry.Until(ctx, func() (bool, error) {
		all, err := process.List()
		below := process.Descendants(all, os.Getpid())
		for _, left := range below {
			left.Kill()
		}
		return len(below) == 0, err
	})
}

// printed returns what a program prints.
func printed(ctx context.Context, program string, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	home, err := os.MkdirTemp("", "ocaptain-version-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "HOME="+home, "DISABLE_AUTOUPDATER=1")
	cmd.WaitDelay = time.Second
	out, err := os.Create(filepath.Join(home, "printed")) // some programs end before they have written everything to a pipe
	if err != nil {
		return "", err
	}
	defer out.Close()
	said, err := os.Create(filepath.Join(home, "said"))
	if err != nil {
		return "", err
	}
	defer said.Close()
	cmd.Stdout, cmd.Stderr = out, said
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%w, as it does not end", ctx.Err())
	case err != nil:
		raw := make([]byte, 4<<10)
		n, _ := said.ReadAt(raw, 0)
		return "", fmt.Errorf("%w: %s", err, short(string(raw[:n])))
	}
	raw := make([]byte, 256<<10)
	n, err := out.ReadAt(raw, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return string(raw[:n]), err
}
