package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/hush"
	"ocaptain/fleet/proto"
	"ocaptain/sync/bounded"
)

// Limits of a probe.
const (
	probeTime  = time.Minute
	mostProbed = 1 << 20 // bytes of output that are read
)

// Probe asks the ship's agent for one word, with the environment and the secrets that it will work with, and writes
// the result to out. An agent that cannot be asked this way counts as working.
func Probe(ctx context.Context, dir string, out io.Writer) error {
	r := &runner{home: shipdir.Dir(dir)}
	if err := r.loadShip(); err != nil {
		return err
	}
	proof := proto.Proof{Works: true}
	if h := r.agent.Headless; h != nil && h.Probe != nil {
		if trouble := r.askAgent(ctx); trouble != nil {
			proof = proto.Proof{Text: r.redact(trouble.Text), Fix: trouble.Fix, Passing: trouble.Passing}
		}
	}
	return json.NewEncoder(out).Encode(proof)
}

// askAgent runs the agent once. Its output decides, and not its exit code.
func (r *runner) askAgent(ctx context.Context) *agent.Failure {
	if err := r.checkKey(); err != nil {
		return &agent.Failure{Text: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd, err := r.command(r.agent.Headless.Probe(r.setup()))
	if err != nil {
		return &agent.Failure{Text: err.Error()}
	}
	stdout, stderr := bounded.NewOutput(mostProbed), bounded.NewOutput(mostProbed)
	cmd.Dir = string(r.home) // outside the repository, whose instructions would only cost tokens
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return &agent.Failure{Text: r.agent.Name + " does not start: " + err.Error()}
	}
	end := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stop := context.AfterFunc(ctx, end)
	_ = cmd.Wait()
	stop()
	end() // kill processes that the agent left behind
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &agent.Failure{Text: r.agent.Name + " gave no answer within a minute", Fix: "check that the ship reaches the network, and ANTHROPIC_BASE_URL if it is set"}
	}
	var last *agent.End
	for line := range bytes.Lines(stdout.Bytes()) {
		if e := r.agent.Headless.Read(line); e.End != nil {
			last = e.End
		}
	}
	return r.agent.Diagnose(last, stderr.String(), r.agent.Key(r.variable))
}

// redact removes the secrets from a text.
func (r *runner) redact(text string) string {
	return hush.NewSecrets(slices.Collect(maps.Values(r.secrets))...).HideText(text)
}
