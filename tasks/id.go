package tasks

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"ocaptain/tasks/pattern"
)

// Sentinel is the id of the hidden task that keeps Claude Code from wiping a
// finished list. No other task may have it.
const Sentinel = "keep"

var idForm = pattern.New(`^[A-Za-z0-9_-]{1,64}$`)

// ValidID reports whether s can be a task's id: 1 to 64 letters, digits, - and _, which are safe in
// a file name, a ref and a quoted argument.
func ValidID(s string) bool { return idForm().MatchString(s) && s != Sentinel }

// NumberOf returns the id as a number, as Claude Code reads it to find its next id; 0 for a word.
func NumberOf(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 53) // JavaScript cannot count beyond 53 bits
	return n
}

// JoinIDs joins at most ten ids, and counts the others.
func JoinIDs(ids []string) string {
	const most = 10
	if len(ids) > most {
		return strings.Join(ids[:most], ", ") + fmt.Sprintf(" and %d more", len(ids)-most)
	}
	return strings.Join(ids, ", ")
}

// MergeMetadata returns metadata with the entries of add; a nil value removes a key.
func MergeMetadata(metadata, add map[string]any) map[string]any {
	merged := make(map[string]any, len(metadata)+len(add))
	maps.Copy(merged, metadata)
	for k, v := range add {
		if v == nil {
			delete(merged, k)
		} else {
			merged[k] = v
		}
	}
	return merged
}
