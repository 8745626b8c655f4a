package provision

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ocaptain/fleet/hush"
	"ocaptain/fleet/link"
)

// MaxOutput bounds what is kept of what a step's programs print: its end.
const MaxOutput = 8 << 10

// run runs a program of a step and keeps the end of what it prints, for the captain to read. Of a
// program that fails it keeps what the error tells as well.
func (w *work) run(ctx context.Context, lane *link.Lane, cmd link.Command) error {
	var out ending
	cmd.Stdout = &out
	result, err := lane.Run(ctx, cmd)
	said := result.Stderr
	var exit *link.ExitError
	if errors.As(err, &exit) {
		said = exit.Stderr
	}
	for _, text := range []string{out.String(), said} {
		if text = strings.TrimSpace(text); text != "" {
			w.output += text + "\n"
		}
	}
	w.output = end(w.output)
	return err
}

// takeOutput returns what the programs of a step have printed since it was asked last: printable,
// and without any secret that the ship is given.
func (w *work) takeOutput() string {
	text := w.redact(strings.TrimSpace(link.Visible(w.output)))
	w.output = ""
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
	return hush.Know(slices.Collect(maps.Values(w.Secrets))...).Hide(text)
}

// ending keeps the end of what is written.
type ending struct{ kept []byte }

func (e *ending) Write(p []byte) (int, error) {
	n := len(p)
	p = p[max(0, n-MaxOutput):]
	e.kept = append(e.kept, p...)
	if extra := len(e.kept) - MaxOutput; extra > 0 {
		e.kept = append(e.kept[:0], e.kept[extra:]...)
	}
	return n, nil
}

func (e *ending) String() string { return string(e.kept) }

// end is the last part of a text, at most MaxOutput.
func end(text string) string {
	if len(text) <= MaxOutput {
		return text
	}
	text = text[len(text)-MaxOutput:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}
