package aboard

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

// running is the file by which the runner tells the rest of the ship where it and
// its agent are.
type running struct {
	Runner process `json:"runner"`
	Agent  process `json:"agent,omitzero"`
	Socket string  `json:"socket,omitempty"` // of the tmux server
	Pane   string  `json:"pane,omitempty"`   // tmux id, "" outside tmux
	Window string  `json:"window,omitempty"` // tmux id
	Hears  bool    `json:"hears,omitempty"`  // the agent takes messages
}

// tmuxServer is the name of the ship's tmux server.
const tmuxServer = "ocaptain"

// tmux runs a tmux command on the runner's server.
func (r running) tmux(ctx context.Context, stdin io.Reader, args ...string) error {
	_, err := r.tmuxOutput(ctx, stdin, args...)
	return err
}

func (r running) tmuxOutput(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	server := []string{"-L", tmuxServer}
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

// paste types text into the pane as one bracketed paste, without Enter.
func (r running) paste(ctx context.Context, text string) error {
	buffer := "say-" + rand.Text()
	return r.tmux(ctx, strings.NewReader(text), "load-buffer", "-b", buffer, "-",
		";", "paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", r.Pane)
}
