package taskdir

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"ocaptain/tasks"
)

// markKey is where, under the reserved metadata, a file says what we wrote into it.
const markKey = "mark"

// signature stands for the content of a task, metadata apart from the rest. A file
// whose content still fits the mark in it was last written by us, however long ago;
// one that does not was edited by somebody else. It serves to tell a file that lags
// behind from one that was touched, not to prove anything.
type signature struct{ fields, metadata uint32 }

// SignatureOf returns the signature of a task: checksums of its fields and of its metadata.
func SignatureOf(t tasks.Task) signature {
	metadata := t.Metadata
	if own, ok := metadata[tasks.Reserved].(map[string]any); ok {
		own = tasks.MergeMetadata(own, map[string]any{markKey: nil}) // a mark does not cover itself
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

// SignedAs returns the mark in a file; the zero signature fits nothing that we write.
func SignedAs(t tasks.Task) (s signature) {
	own, _ := t.Metadata[tasks.Reserved].(map[string]any)
	text, _ := own[markKey].(string)
	if _, err := fmt.Sscanf(text, "%08x-%08x", &s.fields, &s.metadata); err != nil {
		return signature{}
	}
	return s
}

// signed returns t with the mark in its metadata.
func signed(t tasks.Task) tasks.Task {
	own := map[string]any{markKey: SignatureOf(t).String()}
	if had, ok := t.Metadata[tasks.Reserved].(map[string]any); ok {
		own = tasks.MergeMetadata(had, own)
	}
	t.Metadata = tasks.MergeMetadata(t.Metadata, map[string]any{tasks.Reserved: own})
	return t
}

// WithoutReserved returns the metadata without our own.
func WithoutReserved(metadata map[string]any) map[string]any {
	if _, ok := metadata[tasks.Reserved]; !ok {
		return metadata
	}
	rest := maps.Clone(metadata)
	delete(rest, tasks.Reserved)
	return rest
}

// checksum hashes values that can always be encoded, since they came from JSON.
func checksum(values ...any) uint32 {
	h := crc32.NewIEEE()
	e := json.NewEncoder(h)
	for _, v := range values {
		if m, ok := v.(map[string]any); ok && len(m) == 0 {
			continue // no metadata and empty metadata are the same
		}
		_ = e.Encode(v)
	}
	return h.Sum32()
}

// sorted returns ids in order, never nil: their order in a file means nothing.
func sorted(ids []string) []string {
	all := append([]string{}, ids...)
	slices.Sort(all)
	return all
}
