package logs

import (
	"slices"
	"strconv"
	"strings"
)

// record is the position of a log line, and what filters need: 32 bytes.
type record struct {
	at         int64 // in nanoseconds since 1970
	offset     int64
	length     uint32 // without the line end
	prev, next uint32 // distance to the previous and the next record of the same log; 0 for none
	file       uint16
	role       uint8
}

// Ref says where to read the words of a record.
type Ref struct {
	Seq    int64 // the record's sequence number, which never changes
	File   int   // the number of its log
	Offset int64
	Length int
}

// File is a log. A log that is started again becomes another File.
type File struct {
	Ship string
	Path string
}

// Number returns the number of the log's ship, -1 for a ship without a number.
func (f File) Number() int {
	n, err := strconv.Atoi(f.Ship[strings.LastIndexByte(f.Ship, '-')+1:])
	if err != nil {
		return -1
	}
	return n
}

// Roles are the roles of agents.
var Roles = []string{"worker", "planner", "validator", "coordinator"}

// otherRole is the code of an unknown role.
const otherRole = 255

// roleCode returns 1 for the first of Roles, and so on.
func roleCode(role string) uint8 {
	if i := slices.Index(Roles, role); i >= 0 {
		return uint8(i + 1)
	}
	return otherRole
}

// parseRecord returns the record of a line; false for a line that is damaged or without words.
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
