package exedev

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
)

// refusal is the error of a command that the lobby received and refused. A retry is useless.
type refusal struct {
	text  string
	code  int  // exit code of a command that ran on a machine
	login bool // wraps provider.ErrLogin
}

func (r *refusal) Error() string        { return r.text }
func (r *refusal) Is(target error) bool { return r.login && target == provider.ErrLogin }

// broken is the error of a command that got no answer. It may have been executed, unless undone is set.
type broken struct {
	err    error
	undone bool
	after  time.Duration // the pause that the service asked for
}

func (b *broken) Error() string { return b.err.Error() }
func (b *broken) Unwrap() error { return b.err }

// Unreached reports whether an error means that the lobby could not be asked. An answer, even if it refuses the
// login, does not count.
func Unreached(err error) bool {
	var lost *broken
	return errors.As(err, &lost) || errors.Is(err, context.DeadlineExceeded)
}

// Limits of one command and its answer. The service ends commands after 30 s.
const (
	commandMax = 45 * time.Second
	answerMax  = 4 << 20
	attempts   = 6
)

// runOnce executes one command in the lobby, when its turn comes. The words must not need quotes. The error is a
// *refusal, a *broken, or that of ctx.
func (p *Provider) runOnce(ctx context.Context, words ...string) ([]byte, error) {
	return p.onceThen(ctx, func() {}, words...)
}

// onceThen is runOnce, but calls begun when its turn comes.
func (p *Provider) onceThen(ctx context.Context, begun func(), words ...string) ([]byte, error) {
	if err := p.turn.Lock(ctx); err != nil {
		return nil, brokenError(words[0], err)
	}
	defer p.turn.Unlock()
	begun()
	if err := ctx.Err(); err != nil {
		return nil, brokenError(words[0], err)
	}
	limit, cancel := context.WithTimeout(ctx, commandMax)
	defer cancel()
	run := p.overSSH
	if token := p.options.Token(); token != "" {
		run = func(ctx context.Context, line string) ([]byte, error) { return p.overHTTPS(ctx, token, line) }
	}
	out, err := run(limit, strings.Join(words, " "))
	switch {
	case err == nil && failure(out) != "":
		err = &broken{err: errors.New(failure(out))}
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, brokenError(words[0], ctx.Err())
	case limit.Err() != nil:
		p.ssh.Close()
		err = &broken{err: errors.New("no answer in time")}
	}
	return nil, brokenError(words[0], err)
}

// brokenError returns the error of a command that was not executed, or that may not have been.
func brokenError(command string, err error) error { return fmt.Errorf("exe.dev: %s: %w", command, err) }

// runAgain executes a command that may safely be executed twice, and repeats it while there is no answer.
func (p *Provider) runAgain(ctx context.Context, words ...string) ([]byte, error) {
	return p.againThen(ctx, func() {}, words...)
}

// againThen is runAgain, but calls begun at each turn.
func (p *Provider) againThen(ctx context.Context, begun func(), words ...string) ([]byte, error) {
	pauses := retry.Doubling(250*time.Millisecond, time.Minute)
	var before error // why the last attempt failed
	for attempt := 1; ; attempt++ {
		out, err := p.onceThen(ctx, begun, words...)
		var lost *broken
		if err != nil && before != nil && ctx.Err() != nil {
			return out, fmt.Errorf("%w; %w", err, before)
		}
		if err == nil || !errors.As(err, &lost) {
			return out, err
		}
		before = err
		if attempt == attempts {
			return nil, &provider.Temporary{Err: err, After: lost.after}
		}
		if e := retry.Sleep(ctx, max(pauses.NextBackOff(), lost.after)); e != nil {
			return nil, fmt.Errorf("%w; %w", e, err)
		}
	}
}

// shortLine returns the output of somebody else's program as one short line.
func shortLine(b []byte) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(b[:min(len(b), 2000)]), "")), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}
