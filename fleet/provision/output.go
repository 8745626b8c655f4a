package provision

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ocaptain/fleet/hush"
	"ocaptain/fleet/link"
)

// run runs a program of a step and keeps the end of its output for the captain. If the program fails, it keeps the
// text of the error too.
func (w *work) run(ctx context.Context, lane *link.Lane, cmd link.Command) error {
	var out link.Tail
	cmd.Stdout = &out
	result, err := lane.Run(ctx, cmd)
	said := result.Stderr
	var exit *link.ExitError
	if errors.As(err, &exit) {
		said = exit.Stderr
	}
	for _, text := range []string{out.String(), said} {
		if text != "" {
			fmt.Fprintln(&w.output, text)
		}
	}
	return err
}

// takeOutput returns what the step's programs have printed since the last call: printable, and without the ship's
// secrets.
func (w *work) takeOutput() string {
	text := w.redact(w.output.String())
	w.output = link.Tail{}
	return text
}

// tellOutput reports what the step's programs have printed.
func (w *work) tellOutput(step string) {
	if text := w.takeOutput(); text != "" {
		w.Report(step, Printed, text, 0)
	}
}

// redact removes the ship's secrets from a text.
func (w *work) redact(text string) string {
	return hush.NewSecrets(slices.Collect(maps.Values(w.Secrets))...).HideText(text)
}
