package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Delivered is up to where the spool of a ship was delivered.
type Delivered struct {
	Spool  string `json:"spool,omitempty"`
	File   int    `json:"file"`
	Offset int64  `json:"offset"`
}

// Covers reports whether a place of the same spool is delivered.
func (d Delivered) Covers(other Delivered) bool {
	return d.Spool == other.Spool && (other.File < d.File || other.File == d.File && other.Offset <= d.Offset)
}

// AttrDelivered is the attribute of a resource with the place up to which its spool is delivered with it.
const AttrDelivered = ownPrefix + "delivered"

// Stamp says of a resource that its spool is delivered up to there.
func (d Delivered) Stamp(resource pcommon.Map) { resource.PutStr(AttrDelivered, d.text()) }

// Unstamp removes what stamp set.
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

// NoteDelivered keeps up to where a spool is delivered, as a resource says.
func (s *Sums) NoteDelivered(resource pcommon.Map) {
	if _, ok := resource.Get(AttrDelivered); !ok { // it came to a receiver of this process
		return
	}
	if d, ok := readDelivered(text(resource, AttrDelivered)); ok {
		s.ship(text(resource, AttrShip)).delivered = d
	}
}

// Delivered is up to where the newest spool of a ship is delivered.
func (s *Sums) Delivered(ship string) Delivered { return s.ship(ship).delivered }
