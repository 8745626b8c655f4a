package taskdir

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"ocaptain/tasks"
)

// markKey is the key, under the reserved metadata, of the signature that we write into a file.
const markKey = "mark"

// signature holds checksums of a task's fields and of its metadata. If a file's content fits the signature in it,
// ocaptain wrote the file last, maybe long ago; otherwise somebody edited it. So a signature distinguishes an
// outdated file from an edited one. It is no protection against forgery.
type signature struct{ fields, metadata uint32 }

// SignatureOf returns the signature of a task.
func SignatureOf(t tasks.Task) signature {
	metadata := t.Metadata
	if own, ok := metadata[tasks.Reserved].(map[string]any); ok {
		own = tasks.MergeMetadata(own, map[string]any{markKey: nil}) // the signature does not cover itself
		metadata = tasks.MergeMetadata(metadata, map[string]any{tasks.Reserved: own})
		if len(own) == 0 {
			delete(metadata, tasks.Reserved)
		}
	}
	return signature{
		checksum(t.ID, t.Subject, t.Description, t.ActiveForm, t.Owner, t.Status, sorted(t.Blocks), sorted(t.BlockedBy)),
		checksum(metadata),
	}
}

func (s signature) String() string { return fmt.Sprintf("%08x-%08x", s.fields, s.metadata) }

// SignedAs returns the signature in a file. If there is none, it returns the zero signature, which fits no file.
func SignedAs(t tasks.Task) (s signature) {
	own, _ := t.Metadata[tasks.Reserved].(map[string]any)
	text, _ := own[markKey].(string)
	if _, err := fmt.Sscanf(text, "%08x-%08x", &s.fields, &s.metadata); err != nil {
		return signature{}
	}
	return s
}

// signed returns t with its signature in the metadata.
func signed(t tasks.Task) tasks.Task {
	own := map[string]any{markKey: SignatureOf(t).String()}
	if had, ok := t.Metadata[tasks.Reserved].(map[string]any); ok {
		own = tasks.MergeMetadata(had, own)
	}
	t.Metadata = tasks.MergeMetadata(t.Metadata, map[string]any{tasks.Reserved: own})
	return t
}

// WithoutReserved returns the metadata without ocaptain's own entries.
func WithoutReserved(metadata map[string]any) map[string]any {
	if _, ok := metadata[tasks.Reserved]; !ok {
		return metadata
	}
	rest := maps.Clone(metadata)
	delete(rest, tasks.Reserved)
	return rest
}

// checksum hashes values that came from JSON, which can always be encoded.
func checksum(values ...any) uint32 {
	h := crc32.NewIEEE()
	e := json.NewEncoder(h)
	for _, v := range values {
		if m, ok := v.(map[string]any); ok && len(m) == 0 {
			continue // missing metadata counts as empty metadata
		}
		_ = e.Encode(v)
	}
	return h.Sum32()
}

// sorted returns the ids in order, never nil, since the order of ids in a file means nothing.
func sorted(ids []string) []string {
	all := append([]string{}, ids...)
	slices.Sort(all)
	return all
}
