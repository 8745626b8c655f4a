package gitflow

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Packs with fewer objects than this become loose objects, so that frequent small transfers don't pile up packs.
const unpackLimit = 100

// maxObjects bounds what one pack may claim to hold.
const maxObjects = 20_000_000

// sendPack writes a pack of everything that want reaches and have does not. All must be in the repository.
func (r repo) sendPack(ctx context.Context, w io.Writer, want, have []string) error {
	var b strings.Builder
	for _, id := range want {
		b.WriteString(id + "\n")
	}
	for _, id := range have {
		b.WriteString("^" + id + "\n")
	}
	return r.do(ctx, strings.NewReader(b.String()), w, "pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "-q")
}

// takePack stores the pack that comes next in the stream. With strict, every object is checked, and so is that nothing
// it names is missing; limit bounds the pack's bytes, 0 for no bound.
func (r repo) takePack(ctx context.Context, in *bufio.Reader, strict bool, limit int64) error {
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
	return r.do(ctx, in, nil, args...)
}
