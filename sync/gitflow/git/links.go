package git

import (
	"bytes"
	"context"
	"maps"
	"strings"
	stdsync "sync"
)

// maxKnown is the number of commits that a LinkCache holds: enough for the branch's head and merges under way.
const maxKnown = 16

// LinkCache caches the symbolic links of commits with their targets: listing all files of a tree at every merge would
// cost more than the merge.
type LinkCache struct {
	mu stdsync.Mutex
	of map[string]map[string]string
}

// Remember stores the links of a commit.
func (k *LinkCache) Remember(commit string, links map[string]string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || len(k.of) >= maxKnown {
		k.of = map[string]map[string]string{}
	}
	k.of[commit] = links
}

// After returns the links of the tree that results from applying the changes to a commit.
func (k *LinkCache) After(ctx context.Context, r Repo, commit string, all map[string]Change) (map[string]string, error) {
	k.mu.Lock()
	links, known := k.of[commit]
	k.mu.Unlock()
	if !known {
		ids, err := linkIDs(ctx, r, commit)
		if err != nil {
			return nil, err
		}
		if links, err = targets(ctx, r, ids); err != nil {
			return nil, err
		}
		k.Remember(commit, links)
	}
	fresh, gone := map[string]string{}, false
	for name, c := range all {
		if c.After.Mode == LinkMode {
			fresh[name] = c.After.ID
		}
		gone = gone || c.Before.Mode == LinkMode
	}
	if len(fresh) == 0 && !gone {
		return links, nil
	}
	fresh, err := targets(ctx, r, fresh)
	if err != nil {
		return nil, err
	}
	links = maps.Clone(links)
	maps.DeleteFunc(links, func(name, _ string) bool { c, changed := all[name]; return changed && c.Before.Mode == LinkMode })
	maps.Copy(links, fresh)
	return links, nil
}

// linkIDs returns the symbolic links of a commit, each with the id of the blob that holds its target.
func linkIDs(ctx context.Context, r Repo, commit string) (map[string]string, error) {
	l := linkList{ids: map[string]string{}}
	if err := r.Stream(ctx, nil, &l, "ls-tree", "-r", "-z", "--full-tree", commit); err != nil {
		return nil, err
	}
	return l.ids, nil
}

// linkList is a writer for the output of ls-tree that collects symbolic links.
type linkList struct {
	ids  map[string]string
	part []byte // incomplete record
}

// Write implements io.Writer.
func (l *linkList) Write(p []byte) (int, error) {
	for rest := p; ; {
		record, after, whole := bytes.Cut(rest, []byte{0})
		l.part = append(l.part, record...)
		if !whole {
			return len(p), nil
		}
		if bytes.HasPrefix(l.part, []byte(LinkMode+" ")) {
			info, name, _ := strings.Cut(string(l.part), "\t")
			l.ids[name] = info[strings.LastIndexByte(info, ' ')+1:]
		}
		l.part, rest = l.part[:0], after
	}
}

// targets returns the target of each symbolic link.
func targets(ctx context.Context, r Repo, ids map[string]string) (map[string]string, error) {
	links := map[string]string{}
	if len(ids) == 0 {
		return links, nil
	}
	k, release := r.kept()
	defer release()
	r.Kept = k
	for name, id := range ids {
		o, target, err := r.Content(ctx, id, MaxOutput)
		if err == nil && o.ID == "" {
			err = &Error{Verb: "cat-file", Said: id + " is missing"}
		}
		if err != nil {
			return nil, err
		}
		links[name] = string(target)
	}
	return links, nil
}
