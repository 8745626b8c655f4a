package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Object is what a name or expression stands for. The zero value stands for nothing.
type Object struct {
	ID   string
	Kind string // blob, tree, commit or tag
	Size int64  // bytes
}

// Resolve looks up what each expression names, "" where nothing.
func (r Repo) Resolve(ctx context.Context, exprs ...string) ([]string, error) {
	all, err := r.Objects(ctx, exprs...)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(all))
	for i, o := range all {
		ids[i] = o.ID
	}
	return ids, nil
}

// atOnce is how many questions git is asked before its answers are read, and mostAsked their bytes: neither side may fill a pipe
// that the other does not read.
const (
	atOnce    = 64
	mostAsked = 8 << 10
)

// Objects is Resolve with what kind of object each is.
func (r Repo) Objects(ctx context.Context, exprs ...string) ([]Object, error) {
	k, release := r.kept()
	defer release()
	p := &k.objects
	all := make([]Object, 0, len(exprs))
	for left := exprs; len(left) > 0; {
		n, ask := 0, ""
		for n < min(atOnce, len(left)) && (n == 0 || len(ask) < mostAsked) {
			ask += "info " + left[n] + "\n"
			n++
		}
		err := p.converse(ctx, r, func() error {
			all = all[:len(exprs)-len(left)]
			if _, err := io.WriteString(p.in, ask); err != nil {
				return err
			}
			for range n {
				line, err := p.out.ReadString('\n')
				if err != nil {
					return err
				}
				all = append(all, parseObject(line))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		left = left[n:]
	}
	return all, nil
}

// parseObject reads "name kind size", nothing of what says that there is none.
func parseObject(line string) Object {
	f := strings.Fields(line)
	if len(f) != 3 || !IsObjectID(f[0]) {
		return Object{}
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return Object{}
	}
	return Object{f[0], f[1], size}
}

// errTooLarge says that an object is larger than it may be.
var errTooLarge = errors.New("an object is too large")

// Content returns an object of at most so many bytes, the zero Object for nothing.
func (r Repo) Content(ctx context.Context, expr string, most int64) (o Object, content []byte, err error) {
	k, release := r.kept()
	defer release()
	p := &k.objects
	over := false
	err = p.converse(ctx, r, func() error {
		if _, err := io.WriteString(p.in, "contents "+expr+"\n"); err != nil {
			return err
		}
		line, err := p.out.ReadString('\n')
		if err != nil {
			return err
		}
		if o = parseObject(line); o.ID == "" {
			return nil
		}
		if over = o.Size > most; over {
			_ = p.end() // it would write all of it
			return nil
		}
		content = make([]byte, o.Size+1)
		_, err = io.ReadFull(p.out, content)
		content = content[:o.Size]
		return err
	})
	if err == nil && over {
		err = fmt.Errorf("%s %s: %w", o.Kind, o.ID, errTooLarge)
	}
	return o, content, err
}

// kept returns the processes that the repository keeps, or others until release is called.
func (r Repo) kept() (k *Kept, release func()) {
	if r.Kept != nil {
		return r.Kept, func() {}
	}
	k = NewKept()
	return k, k.Close
}
