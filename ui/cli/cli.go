// Package cli is ocaptain's command line: one file per command. Commands read a voyage's files and are clients of
// helm.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"charm.land/fang/v2"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/theme"
)

// Main runs the command that the program was called with and returns its exit code. version is the version that the
// program reports.
func Main(version string) int {
	supervise.Version = version
	lasting, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(lasting, stop) // a second ctrl-c ends the program at once
	ctx := lasting
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		var closed context.CancelFunc
		ctx, closed = signal.NotifyContext(lasting, syscall.SIGHUP)
		defer closed()
	}

	if len(os.Args) > 1 && os.Args[1] == "aboard" {
		return mainAboard(ctx, os.Args[2:])
	}
	b, err := newBridge()
	if err != nil {
		printError(os.Stderr, err)
		return exitCode(err)
	}
	b.lasting = lasting
	root := newRoot(b)
	if err := helpOfNothing(root, os.Args[1:]); err != nil {
		printError(os.Stderr, err)
		return exitCode(err)
	}
	say := func(w io.Writer, err error) {
		if interrupted(ctx, err) {
			err = errInterrupted
		}
		printError(w, err)
	}
	if theme.IsTerminal(os.Stdout) && theme.IsDumb(b.environ) { // fang asks the terminal for its colours; a dumb terminal would show the question as text
		root.Version, root.SilenceErrors, root.SilenceUsage = supervise.Version, true, true
		if err = root.ExecuteContext(ctx); err != nil {
			say(b.err, err)
		}
	} else {
		err = fang.Execute(ctx, root,
			fang.WithVersion(supervise.Version),
			fang.WithoutManpage(),
			fang.WithColorSchemeFunc(fang.AnsiColorScheme),
			fang.WithErrorHandler(func(w io.Writer, _ fang.Styles, err error) { say(w, err) }),
		)
	}
	if interrupted(ctx, err) {
		return Interrupted
	}
	return exitCode(err)
}

// interrupted reports whether an error only says that ctrl-c ended the command.
func interrupted(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && exitCode(err) == Failed
}

// printError prints an error and, on a line of its own, the advice for it.
func printError(w io.Writer, err error) {
	text, advice := clean.Text(strings.TrimRight(err.Error(), "\n")), clean.Text(adviceOf(err))
	if text == "" {
		return // the command has printed everything already
	}
	fmt.Fprintln(w, theme.Bad.Render("error:")+" "+strings.ReplaceAll(text, "\n", "\n       "))
	if advice != "" {
		fmt.Fprintln(w, theme.Dim.Render("hint:")+"  "+strings.ReplaceAll(advice, "\n", "\n       "))
	}
}
