package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Object describes a git object. The zero value means that there is none.
type Object struct {
	ID   string
	Kind string // blob, tree, commit or tag
	Size int64  // bytes
}

// Resolve returns the id of the object that each expression names, "" for a missing object.
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

// Objects sends at most atOnce questions of mostAsked bytes before it reads git's answers: if both sides filled their
// pipes, both would block.
const (
	atOnce    = 64
	mostAsked = 8 << 10
)

// Objects is Resolve that also returns kind and size of each object.
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

// parseObject parses "ID KIND SIZE". It returns the zero Object for git's answer about a missing object.
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

// errTooLarge means that an object is larger than the caller allows.
var errTooLarge = errors.New("an object is too large")

// Content returns an object and its content, the zero Object for a missing one. It fails for an object of more than
// most bytes.
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
			_ = p.end() // else git would write the whole object
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

// kept returns r.Kept, or else new processes that release ends.
func (r Repo) kept() (k *Kept, release func()) {
	if r.Kept != nil {
		return r.Kept, func() {}
	}
	k = NewKept()
	return k, k.Close
}
