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

// Packs with fewer objects than this become loose objects, so that frequent small transfers don't pile up packs.
const unpackLimit = 100

// maxObjects bounds what one pack may claim to hold.
const maxObjects = 20_000_000

// SendPack writes a pack of everything that want reaches and have does not, without git when these are few objects. All must be in the
// repository.
func (r Repo) SendPack(ctx context.Context, w io.Writer, want, have []string) error {
	if few := r.Few(ctx, want, have); few != nil {
		_, err := few.WriteTo(w)
		return err
	}
	return r.SendThin(ctx, w, want, have)
}

// SendThin is SendPack by git, for any number of objects.
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

// ReceivePack stores the pack that comes next in the stream. With strict, every object is checked, and so is that nothing
// it names is missing; limit bounds the pack's bytes, 0 for no bound.
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

// CheckConnected makes sure that each of want is a commit and no commit that it reaches lacks anything, given that nothing is missing
// behind have, and that the caller looks at all files of each of want.
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

// isUpon reports whether all parents of a commit are among some.
func isUpon(commit []byte, some []string) bool {
	return !slices.ContainsFunc(parentsOf(commit), func(parent string) bool { return !slices.Contains(some, parent) })
}
