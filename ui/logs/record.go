package logs

import (
	"slices"
	"strconv"
	"strings"
)

// record is where a line of a log lies, and what it is filtered by: 32 bytes.
type record struct {
	at         int64 // in nanoseconds since 1970
	offset     int64
	length     uint32 // without the line end
	prev, next uint32 // how far away the record before and after it of the same log is; 0 for none
	file       uint16
	role       uint8
}

// Ref says where the words of a record are read.
type Ref struct {
	Seq    int64 // the place of the record among all, which it never changes
	File   int   // its log, by number
	Offset int64
	Length int
}

// File is a log. One that is begun anew is another log from then on.
type File struct {
	Ship string
	Path string
}

// Number is the number of the log's ship, -1 for a ship without one.
func (f File) Number() int {
	n, err := strconv.Atoi(f.Ship[strings.LastIndexByte(f.Ship, '-')+1:])
	if err != nil {
		return -1
	}
	return n
}

// Roles are what an agent can be.
var Roles = []string{"worker", "planner", "validator", "coordinator"}

// otherRole is the code of a role that is not known.
const otherRole = 255

// roleCode is 1 for the first of Roles, and so on.
func roleCode(role string) uint8 {
	if i := slices.Index(Roles, role); i >= 0 {
		return uint8(i + 1)
	}
	return otherRole
}

// parseRecord makes a record of a line; false for one that is damaged or says nothing in words.
func parseRecord(line []byte, file int, offset int64) (record, bool) {
	r := record{offset: offset, length: uint32(len(line)), file: uint16(file)}
	if f, ok := scanLine(line); ok {
		r.at, r.role = f.at, roleCode(string(f.role))
		return r, f.hasWords(line)
	}
	l, ok := Parse(line)
	if !ok || l.Words == "" {
		return r, false
	}
	r.at, r.role = l.At.UnixNano(), roleCode(l.Role)
	return r, true
}
