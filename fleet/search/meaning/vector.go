// Package meaning compares texts by meaning, with vectors that a service of embeddings makes of them.
package meaning

import (
	"errors"
	"math"
)

// Size is how many numbers a vector has. Services are asked to shorten theirs to that.
const Size = 256

// A Vector stands for the meaning of a text. Its numbers are integers from -127 to 127, which take a quarter of the space of
// the service's numbers and compare almost as well.
type Vector struct {
	numbers [Size]int8
	length  float32
}

// NewVector converts a service's numbers to a Vector.
func NewVector(numbers []float32) (v Vector, err error) {
	if len(numbers) != Size {
		return v, errSize
	}
	most := float32(0)
	for _, n := range numbers {
		most = max(most, n, -n)
	}
	if !(most > 0) || math.IsInf(float64(most), 0) {
		return v, errors.New("a vector without a direction")
	}
	for i, n := range numbers {
		v.numbers[i] = int8(math.Round(float64(n / most * 127)))
	}
	return v, v.measure()
}

// errSize is the error of a vector with a wrong number of numbers.
var errSize = errors.New("a vector of another size")

func (v *Vector) measure() error {
	sum := 0
	for _, n := range v.numbers {
		sum += int(n) * int(n)
	}
	if sum == 0 {
		return errors.New("a vector without a direction")
	}
	v.length = float32(math.Sqrt(float64(sum)))
	return nil
}

// Similarity returns how near two meanings are, as the cosine of the angle between their vectors: at most 1.
func (v *Vector) Similarity(o *Vector) float32 {
	sum := int32(0)
	for i, n := range v.numbers {
		sum += int32(n) * int32(o.numbers[i])
	}
	return float32(sum) / (v.length * o.length)
}

// MarshalBinary returns the numbers, one byte each.
func (v Vector) MarshalBinary() ([]byte, error) {
	raw := make([]byte, Size)
	for i, n := range v.numbers {
		raw[i] = byte(n)
	}
	return raw, nil
}

// UnmarshalBinary reads the output of MarshalBinary.
func (v *Vector) UnmarshalBinary(raw []byte) error {
	if len(raw) != Size {
		return errSize
	}
	for i, b := range raw {
		v.numbers[i] = int8(b)
	}
	return v.measure()
}
