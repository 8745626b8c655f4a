package git

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReceivePack stores a pack with fewer objects than unpackLimit as loose objects, so that frequent small transfers
// don't pile up packs.
const unpackLimit = 100

// maxObjects bounds the number of objects that a pack may claim to have.
const maxObjects = 20_000_000

// SendPack writes a pack of the objects that want reaches and have does not. For few objects it starts no git. The
// repository must have all commits of want and have.
func (r Repo) SendPack(ctx context.Context, w io.Writer, want, have []string) error {
	if few := r.Few(ctx, want, have); few != nil {
		_, err := few.WriteTo(w)
		return err
	}
	return r.SendThin(ctx, w, want, have)
}

// SendThin is SendPack that always uses git.
func (r Repo) SendThin(ctx context.Context, w io.Writer, want, have []string) error {
	var b strings.Builder
	for _, id := range want {
		b.WriteString(id + "\n")
	}
	for _, id := range have {
		b.WriteString("^" + id + "\n")
	}
	return r.Stream(ctx, strings.NewReader(b.String()), w, "pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "-q")
}

// ReceivePack reads a pack from in and stores its objects. With strict, git checks every object, and that no object
// that it names is missing. limit bounds the pack's bytes, 0 for no bound.
func (r Repo) ReceivePack(ctx context.Context, in *bufio.Reader, strict bool, limit int64) error {
	head, err := in.Peek(12)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("pack: %w", err)
	}
	n := binary.BigEndian.Uint32(head[8:])
	if string(head[:4]) != "PACK" {
		return errors.New("pack: not a git pack")
	}
	if n > maxObjects {
		return fmt.Errorf("pack: claims %d objects", n)
	}
	args := []string{"index-pack", "--stdin", "--fix-thin"}
	if n < unpackLimit {
		args = []string{"unpack-objects", "-q"}
	}
	if strict {
		args = append(args, "--strict")
	}
	if limit > 0 {
		args = append(args, fmt.Sprintf("--max-input-size=%d", limit))
	}
	return r.Stream(ctx, in, nil, args...)
}

// CheckConnected returns an error unless each id of want is a commit and the commits that it reaches lack no object.
// It relies on have being complete, and on the caller to read all files of each commit of want.
func (r Repo) CheckConnected(ctx context.Context, want, have []string) error {
	alone := true
	for _, id := range want {
		o, content, err := r.Content(ctx, id, MaxOutput)
		if err != nil {
			return err
		}
		if o.ID != id || o.Kind != "commit" {
			return fmt.Errorf("objects from the remote: %s is not a commit among them", id)
		}
		alone = alone && isUpon(content, have)
	}
	if alone {
		return nil
	}
	var b strings.Builder
	for _, id := range want {
		b.WriteString(id + "\n")
	}
	for _, id := range have {
		b.WriteString("^" + id + "\n")
	}
	if err := r.Stream(ctx, strings.NewReader(b.String()), nil, "rev-list", "--objects", "--quiet", "--stdin"); err != nil {
		return fmt.Errorf("objects from the remote: something is missing: %w", err)
	}
	return nil
}

// isUpon reports whether all parents of a commit are in some.
func isUpon(commit []byte, some []string) bool {
	return !slices.ContainsFunc(parentsOf(commit), func(parent string) bool { return !slices.Contains(some, parent) })
}
