package wire

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// remote is a remote tree whose replies a function writes.
type remote func(ctx context.Context, stdout io.Writer) error

func (r remote) Tree(ctx context.Context, _ []string, _ io.Reader, stdout io.Writer) error {
	return r(ctx, stdout)
}

// TestUncooperative asks remotes that hang, and a remote that ignores cancellation.
func TestUncooperative(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	for name, r := range map[string]remote{
		"hangs": func(ctx context.Context, _ io.Writer) error { <-ctx.Done(); return ctx.Err() },
		"drips": func(_ context.Context, stdout io.Writer) error {
			for {
				if _, err := stdout.Write([]byte(" ")); err != nil {
					return err
				}
			}
		},
		"deaf":  func(context.Context, io.Writer) error { <-stuck; return nil },
		"fails": func(context.Context, io.Writer) error { return errors.New("no route\nto host") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := Ask(ctx, remote(func(ctx context.Context, stdout io.Writer) error {
				if name != "fails" {
					cancel()
				}
				return r(ctx, stdout)
			}), VerbHas, Request{}, nil, nil)
			if err == nil {
				t.Fatal("it went through")
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
		})
	}
}
