package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"ocaptain/fleet/clean"
)

// prompt shows a question and returns the line that the captain types, without surrounding space.
func (b *bridge) prompt(ctx context.Context, question string) (string, error) {
	fmt.Fprint(b.err, clean.Line(question))
	type reply struct {
		text string
		err  error
	}
	typed := make(chan reply, 1)
	go func() {
		line, err := bufio.NewReader(b.in).ReadString('\n')
		typed <- reply{line, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(b.err)
		return "", ctx.Err()
	case r := <-typed:
		if r.err != nil && r.text == "" {
			return "", newExitError(Refused, "", "there was no answer")
		}
		return strings.TrimSpace(r.text), nil
	}
}
