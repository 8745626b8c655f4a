package bring

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow/intake"
)

// Pack writes the files of the checkout at dir to a new archive that only its owner may read. A file that grew since it was chosen counts
// with its present size.
func (c Chosen) Pack(ctx context.Context, dir, to string, most Limits) error {
	root, err := openTop(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := tar.NewWriter(out)
	left := most.Bytes
	for _, f := range c.Files {
		if err = context.Cause(ctx); err == nil {
			err = f.pack(root, w, &left, most)
		}
		if err != nil {
			return errors.Join(err, out.Close(), os.Remove(to))
		}
	}
	return errors.Join(w.Close(), out.Sync(), out.Close())
}

// pack writes one file. It fails if the file changes its length meanwhile.
func (f File) pack(root *os.File, w *tar.Writer, left *int64, most Limits) error {
	in, err := open(root, f.Path)
	if err == nil {
		defer in.Close()
	}
	name := clean.Line(f.Path)
	if err != nil || !isRegular(in) {
		return fmt.Errorf("%s changed since it was looked at; do the same again: %w", name, cause(err))
	}
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if *left -= info.Size(); *left < 0 {
		return &LimitError{
			What: fmt.Sprintf("%s has %s now, and all files that go to ships may have %s together", name, sizeText(info.Size()), sizeText(most.Bytes)),
			Fix:  fmt.Sprintf("name fewer, or raise bring_size in %s", most.Config),
		}
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Size: info.Size(), Mode: int64(info.Mode().Perm()), ModTime: info.ModTime()}
	if f.Secret != "" {
		h.PAXRecords = map[string]string{intake.WithheldRecord: "secret"}
	}
	if err := w.WriteHeader(h); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if _, err := io.CopyN(w, in, info.Size()); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s became shorter while it was read; do the same again", name)
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// cause returns an error without the name of its file.
func cause(err error) error {
	var of *fs.PathError
	switch {
	case err == nil:
		return errors.New("it is no plain file")
	case errors.As(err, &of):
		return of.Err
	}
	return err
}
