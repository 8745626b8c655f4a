package redislog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Mark identifies an entry by its number, counted from 1, and its seal. The zero Mark stands before the first entry.
type Mark struct {
	Number uint64
	Sum    string
}

// String returns the mark in the form that ParseMark reads, "" for the zero Mark.
func (m Mark) String() string {
	if m == (Mark{}) {
		return ""
	}
	return fmt.Sprintf("%d-%s", m.Number, m.Sum)
}

// ParseMark reads a mark.
func ParseMark(text string) (Mark, error) {
	if text == "" {
		return Mark{}, nil
	}
	number, sum, _ := strings.Cut(text, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || n == 0 || sum == "" {
		return Mark{}, fmt.Errorf("%q is no mark of an entry in Redis", text)
	}
	return Mark{n, sum}, nil
}

// Entry is an entry of a log.
type Entry struct {
	Mark
	Data []byte
}

// sealer makes seals with a secret. A seal covers the data, its place in the log and all entries before it, so that only holders of the secret
// can write, move, repeat or drop an entry.
type sealer []byte

func newSealer(secret, session string) sealer {
	key := hmac.New(sha256.New, []byte(secret))
	key.Write([]byte("ocaptain session " + session))
	return key.Sum(nil)
}

// entry returns a sealed entry with this data that follows before.
func (s sealer) entry(before Mark, data []byte) Entry {
	sum := hmac.New(sha256.New, s)
	sum.Write(binary.BigEndian.AppendUint64([]byte(before.Sum+"\n"), before.Number+1))
	sum.Write(data)
	return Entry{Mark{before.Number + 1, base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:18])}, data}
}

// sign returns the signature of a text. It is not the seal of any entry: what is sealed begins with the seal of another entry, or with none.
func (s sealer) sign(text string) string {
	sum := hmac.New(sha256.New, s)
	sum.Write([]byte("text\n" + text))
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:18])
}

// equal compares two seals in constant time.
func equal(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }
