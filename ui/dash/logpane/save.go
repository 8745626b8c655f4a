package logpane

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/ui/logs"
)

// Saved is the result of Save.
type Saved struct {
	Path  string
	Lines int
}

// Save returns a function that writes the lines of a voyage that pass the filters, without context, to a new file;
// the model runs it in a goroutine. It reads the logs from their beginning, so it also saves lines that the pane no
// longer holds.
func (p *Pane) Save(d fleet.Dir, path string) func(context.Context) (Saved, error) {
	f := p.book.Filter()
	q := logs.Query{Ships: f.Ships, Role: f.Role}
	if f.Grep != nil {
		q.Keep = func(l logs.Line) bool { return f.Grep.Match(l.WithoutTime()) }
	}
	return func(ctx context.Context) (Saved, error) {
		saved, err := save(ctx, d, q, path)
		if err != nil {
			return saved, fmt.Errorf("save the logs: %w", err)
		}
		return saved, nil
	}
}

func save(ctx context.Context, d fleet.Dir, q logs.Query, path string) (saved Saved, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return saved, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return saved, err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(path)
		}
	}()
	saved.Path = path
	out := bufio.NewWriter(file)
	if _, err := logs.ShowExisting(ctx, d, q, -1, func(l logs.Line) error {
		saved.Lines++
		_, err := out.WriteString(l.String() + "\n")
		return err
	}); err != nil {
		return saved, err
	}
	return saved, out.Flush()
}
