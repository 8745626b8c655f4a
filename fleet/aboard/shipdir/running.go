package shipdir

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Running is the file in which the runner says where it and its agent are.
type Running struct {
	Runner Process `json:"runner"`
	Agent  Process `json:"agent,omitzero"`
	Socket string  `json:"socket,omitempty"` // path of the tmux server's socket
	Pane   string  `json:"pane,omitempty"`   // tmux id, "" outside tmux
	Window string  `json:"window,omitempty"` // tmux id of the window
	Hears  bool    `json:"hears,omitempty"`  // messages can be typed to the agent
}

// TmuxServer is the name of the ship's tmux server.
const TmuxServer = "ocaptain"

// Tmux runs a tmux command on the runner's server.
func (r Running) Tmux(ctx context.Context, stdin io.Reader, args ...string) error {
	_, err := r.TmuxOutput(ctx, stdin, args...)
	return err
}

// TmuxOutput is Tmux for a command that prints.
func (r Running) TmuxOutput(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	server := []string{"-L", TmuxServer}
	if r.Socket != "" {
		server = []string{"-S", r.Socket}
	}
	cmd := exec.CommandContext(ctx, "tmux", append(server, args...)...)
	cmd.WaitDelay = time.Second
	cmd.Stdin = stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if msg := strings.TrimSpace(stderr.String()); msg != "" {
			err = errors.New(msg)
		}
		return "", fmt.Errorf("tmux %s: %w", args[0], err)
	}
	return string(out), nil
}

// Paste types text into the pane as one bracketed paste, without Enter.
func (r Running) Paste(ctx context.Context, text string) error {
	buffer := "say-" + rand.Text()
	return r.Tmux(ctx, strings.NewReader(text), "load-buffer", "-b", buffer, "-",
		";", "paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", r.Pane)
}
