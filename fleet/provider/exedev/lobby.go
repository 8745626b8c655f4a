package exedev

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/url"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
)

// lobby executes commands at exe.dev, one at a time, and remembers what the answers say about the account.
type lobby struct {
	options Options
	via     *url.URL        // nil for the real exe.dev
	ssh     *openssh.Kept   // the connection
	turn    turn.Turn       // held while a command is executed
	letting turn.Turn       // held while a key is added; guards keys
	keys    map[string]bool // by account and fingerprint: keys that the account is known to have
	asking  turn.Turn       // held while the lobby is asked who is logged in; guards asker
	asker   asker           // who is logged in, according to the last answer

	mu      sync.Mutex
	listing *listing // the listing that waits for its turn, nil for none
}

func newLobby(options Options, via *url.URL, captain *openssh.Captain) *lobby {
	return &lobby{
		options: options, via: via, turn: turn.New(), letting: turn.New(), asking: turn.New(), keys: map[string]bool{},
		ssh: captain.KeptConnection(lobbyPlace, fmt.Sprintf("exe-%08x", crc32.ChecksumIEEE([]byte(options.KeyFile)))),
	}
}

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
func (l *lobby) runOnce(ctx context.Context, words ...string) ([]byte, error) {
	return l.onceThen(ctx, func() {}, words...)
}

// onceThen is runOnce, but calls begun when its turn comes.
func (l *lobby) onceThen(ctx context.Context, begun func(), words ...string) ([]byte, error) {
	if err := l.turn.Lock(ctx); err != nil {
		return nil, brokenError(words[0], err)
	}
	defer l.turn.Unlock()
	begun()
	if err := ctx.Err(); err != nil {
		return nil, brokenError(words[0], err)
	}
	limit, cancel := context.WithTimeout(ctx, commandMax)
	defer cancel()
	run := l.overSSH
	if token := l.options.Token(); token != "" {
		run = func(ctx context.Context, line string) ([]byte, error) { return l.overHTTPS(ctx, token, line) }
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
		l.ssh.Close()
		err = &broken{err: errors.New("no answer in time")}
	}
	return nil, brokenError(words[0], err)
}

// brokenError returns the error of a command that was not executed, or that may not have been.
func brokenError(command string, err error) error { return fmt.Errorf("exe.dev: %s: %w", command, err) }

// runAgain executes a command that may safely be executed twice, and repeats it while there is no answer.
func (l *lobby) runAgain(ctx context.Context, words ...string) ([]byte, error) {
	return l.againThen(ctx, func() {}, words...)
}

// againThen is runAgain, but calls begun at each turn.
func (l *lobby) againThen(ctx context.Context, begun func(), words ...string) ([]byte, error) {
	pauses := retry.Doubling(250*time.Millisecond, time.Minute)
	var before error // why the last attempt failed
	for attempt := 1; ; attempt++ {
		out, err := l.onceThen(ctx, begun, words...)
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
