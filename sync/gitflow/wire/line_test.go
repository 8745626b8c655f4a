package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// echo prints its arguments and its input, or fails.
func echo(_ context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if args[0] == "fail" {
		return errors.New("it can't")
	}
	_, err := io.Copy(stdout, io.MultiReader(strings.NewReader(args[0]+":"), stdin))
	return err
}

// TestLine makes several requests over a line; the last one fails.
func TestLine(t *testing.T) {
	hub, ship := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- ServeLine(t.Context(), ship, ship, echo) }()
	for _, text := range []string{"", "short", strings.Repeat("long", maxFrame)} {
		var got bytes.Buffer
		if err := Talk(t.Context(), hub, []string{"say"}, strings.NewReader(text), &got); err != nil || got.String() != "say:"+text {
			t.Fatalf("%d bytes, %v, want %d", got.Len(), err, len(text)+4)
		}
	}
	var failed *Failed
	if err := Talk(t.Context(), hub, []string{"fail"}, strings.NewReader(""), io.Discard); !errors.As(err, &failed) || failed.Text != "it can't" {
		t.Error(err)
	}
	hub.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestLineLies: Talk returns an error for invalid or incomplete frames from a ship.
func TestLineLies(t *testing.T) {
	for name, says := range map[string]string{
		"nothing": "", "half a frame": "d\x00\x00", "a frame cut short": "d\x00\x00\x00\x09abc", "too long a frame": "d\xff\xff\xff\xff", "an unknown frame": "?\x00\x00\x00\x00",
		"no end": "d\x00\x00\x00\x03abc", "the hub's frame": "e\x00\x00\x00\x00",
	} {
		hub, ship := net.Pipe()
		go func() {
			go func() { _, _ = io.Copy(io.Discard, ship) }()
			_, _ = io.WriteString(ship, says)
			ship.Close()
		}()
		if err := Talk(t.Context(), hub, []string{"say"}, strings.NewReader("x"), io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
		hub.Close()
	}
}

// TestLineIsCut: the ship does not take a part of its input for the whole when the hub is gone or fails to read what
// it sends.
func TestLineIsCut(t *testing.T) {
	for name, stdin := range map[string]io.Reader{
		"the source fails": io.MultiReader(strings.NewReader("part"), &broken{}),
		"the hub is gone":  io.MultiReader(strings.NewReader("part"), blocked{t.Context()}),
	} {
		hub, ship := net.Pipe()
		heard := make(chan error, 1)
		go func() {
			_ = ServeLine(t.Context(), ship, ship, func(_ context.Context, _ []string, stdin io.Reader, stdout io.Writer) error {
				_, err := io.Copy(io.Discard, stdin)
				heard <- err
				return err
			})
		}()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Talk(ctx, hub, []string{"say"}, stdin, io.Discard) }()
		if name == "the hub is gone" {
			cancel()
		}
		if err := <-ended; err == nil {
			t.Errorf("%s: no error", name)
		}
		hub.Close()
		if err := <-heard; !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: the ship hears %v", name, err)
		}
		cancel()
	}
}

type broken struct{}

func (*broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

type blocked struct{ ctx context.Context }

func (b blocked) Read([]byte) (int, error) { <-b.ctx.Done(); return 0, b.ctx.Err() }
