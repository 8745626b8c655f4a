package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/brought"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
)

// bringArchive sends the ship the git-ignored files of the captain's checkout, if the voyage brings any.
func (w *work) bringArchive(ctx context.Context) error {
	f, err := os.Open(w.Dir.Bring())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.link.BulkLane().PutFile(ctx, brought.Archive, 0o600, f, info.Size())
}

// bringFiles writes these files into the clone.
func (w *work) bringFiles(ctx context.Context) error {
	done, err := Bring(ctx, w.link, w.Ship.Home, w.Dir)
	if err == nil && (done.Placed > 0 || len(done.Kept) > 0) {
		w.Report("clone", Note, BroughtText(done), 0)
	}
	return err
}

// Bring writes the files that were sent to a ship into its clone, except files that the clone already has. It does
// nothing in a voyage that brings none.
func Bring(ctx context.Context, l *link.Link, home string, d fleet.Dir) (done proto.Brought, err error) {
	if _, err := os.Lstat(d.Bring()); errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	got, err := l.Run(ctx, link.Command{Argv: []string{path.Join(home, Binary), "aboard", "bring"}})
	if err != nil {
		return done, err
	}
	if json.Unmarshal(got.Stdout, &done) != nil {
		return done, errors.New("bring files that git ignores: the answer is not what was expected")
	}
	return done, nil
}

// BroughtText says what happened to the files. The names in it come from the ship.
func BroughtText(done proto.Brought) string {
	text := fmt.Sprintf("%d of %d files that git ignores were brought from your checkout", done.Placed, done.Files)
	if len(done.Kept) > 0 {
		text += "; the ship had something else at " + strings.Join(done.Kept[:min(len(done.Kept), 5)], ", ") + ", which stays"
	}
	return text
}
