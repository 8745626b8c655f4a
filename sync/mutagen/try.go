package mutagen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Try checks that the program copies a file from one directory to another, and one back. It uses a temporary daemon.
func Try(ctx context.Context, p Program) (err error) {
	dir, err := os.MkdirTemp("", "oc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	h, err := Open(ctx, p, filepath.Join(dir, "m"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Stop(context.WithoutCancel(ctx))) }()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	if err := errors.Join(os.Mkdir(one, 0o700), os.Mkdir(two, 0o700), os.WriteFile(filepath.Join(one, "there"), nil, 0o600), os.WriteFile(filepath.Join(two, "back"), nil, 0o600)); err != nil {
		return err
	}
	id, err := h.Ensure(ctx, Spec{Mode: TwoWay, A: Endpoint{Path: one}, B: Endpoint{Path: two}, Labels: map[string]string{"ocaptain.try": "1"}})
	if err != nil {
		return err
	}
	if err := h.Flush(ctx, id); err != nil {
		return err
	}
	for _, name := range []string{filepath.Join(two, "there"), filepath.Join(one, "back")} {
		if _, err := os.Stat(name); err != nil {
			return fmt.Errorf("mutagen says that it is done, and %s is missing", filepath.Base(name))
		}
	}
	return nil
}
