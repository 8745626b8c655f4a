package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Delivered is the place up to which the spool of a ship was delivered.
type Delivered struct {
	Spool  string `json:"spool,omitempty"`
	File   int    `json:"file"`
	Offset int64  `json:"offset"`
}

// Covers reports whether another place in the same spool is not after d.
func (d Delivered) Covers(other Delivered) bool {
	return d.Spool == other.Spool && (other.File < d.File || other.File == d.File && other.Offset <= d.Offset)
}

// AttrDelivered is the attribute of a resource with the place up to which its spool was delivered.
const AttrDelivered = ownPrefix + "delivered"

// Stamp sets this place in a resource.
func (d Delivered) Stamp(resource pcommon.Map) { resource.PutStr(AttrDelivered, d.text()) }

// Unstamp removes the attribute that Stamp sets.
func Unstamp(resource pcommon.Map) { resource.Remove(AttrDelivered) }

func (d Delivered) text() string { return fmt.Sprintf("%q %d %d", d.Spool, d.File, d.Offset) }

func readDelivered(text string) (d Delivered, ok bool) {
	spool, err := strconv.QuotedPrefix(text)
	if err != nil {
		return d, false
	}
	file, offset, _ := strings.Cut(strings.TrimPrefix(text[len(spool):], " "), " ")
	var errs [3]error
	d.Spool, errs[0] = strconv.Unquote(spool)
	d.File, errs[1] = strconv.Atoi(file)
	d.Offset, errs[2] = strconv.ParseInt(offset, 10, 64)
	return d, errors.Join(errs[:]...) == nil
}

// NoteDelivered records the place in a resource.
func (s *Sums) NoteDelivered(resource pcommon.Map) {
	if _, ok := resource.Get(AttrDelivered); !ok { // received in this process, and not delivered
		return
	}
	if d, ok := readDelivered(text(resource, AttrDelivered)); ok {
		s.ship(text(resource, AttrShip)).delivered = d
	}
}

// Delivered returns the place up to which the newest spool of a ship was delivered.
func (s *Sums) Delivered(ship string) Delivered { return s.ship(ship).delivered }
