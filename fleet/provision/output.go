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

// run runs a program of a step and keeps the end of what it prints, for the captain to read. Of a
// program that fails it keeps what the error tells as well.
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

// takeOutput returns what the programs of a step have printed since it was asked last: printable,
// and without any secret that the ship is given.
func (w *work) takeOutput() string {
	text := w.redact(w.output.String())
	w.output = link.Tail{}
	return text
}

// tellOutput reports what the programs of a step have printed.
func (w *work) tellOutput(step string) {
	if text := w.takeOutput(); text != "" {
		w.Report(step, Printed, text, 0)
	}
}

// redact takes the secrets that the ship is given out of a text.
func (w *work) redact(text string) string {
	return hush.NewSecrets(slices.Collect(maps.Values(w.Secrets))...).HideText(text)
}
