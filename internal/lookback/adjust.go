package lookback

import "strconv"

// Columns of an [Adjustment]: the features, one column for each value of three of them, and one for each kind of lines.
const (
	columnTo      = int(NumFeatures)
	columnClass   = columnTo + relations
	columnBestWho = columnClass + classes
	columnKind    = columnBestWho + 4

	NumColumns = columnKind + Experts // number of columns
)

// An Adjustment corrects the log odds of a [Model] for the chats of one bot. It is linear in the columns of a line.
type Adjustment struct {
	Weights [NumColumns]float32
	Mean    [NumFeatures]float32 // a feature with this value contributes nothing
}

// indicators returns the columns that are 1.
func (f *Features) indicators() [4]int {
	return [4]int{
		columnTo + int(f[fTo]), columnClass + int(f[fClass]), columnBestWho + int(f[fBestWho]), columnKind + f.Kind(),
	}
}

// Columns fills to with the columns of a line.
func (f *Features) Columns(to *[NumColumns]float32) {
	*to = [NumColumns]float32{}
	copy(to[:], f[:])
	for _, i := range f.indicators() {
		to[i] = 1
	}
}

// Of returns the correction for a line.
func (a *Adjustment) Of(f *Features) float32 {
	s := float32(0)
	for i, x := range f {
		s += a.Weights[i] * (x - a.Mean[i])
	}
	for _, i := range f.indicators() {
		s += a.Weights[i]
	}
	return s
}

// explain adds the contribution of each feature to by.
func (a *Adjustment) explain(f *Features, by *[NumFeatures]float32) {
	for i, x := range f {
		by[i] += a.Weights[i] * (x - a.Mean[i])
	}
	in := f.indicators()
	for n, feature := range [...]Feature{fTo, fClass, fBestWho, fTo} { // the kind follows from fTo, for the most part
		by[feature] += a.Weights[in[n]]
	}
}

// ColumnNames returns the names of the columns in a file.
func ColumnNames() (names [NumColumns]string) {
	copy(names[:], Names[:])
	for i := columnTo; i < NumColumns; i++ {
		switch {
		case i < columnClass:
			names[i] = "to=" + strconv.Itoa(i-columnTo)
		case i < columnBestWho:
			names[i] = "class=" + strconv.Itoa(i-columnClass)
		case i < columnKind:
			names[i] = "best_who=" + strconv.Itoa(i-columnBestWho)
		default:
			names[i] = "kind=" + expertNames[i-columnKind]
		}
	}
	return names
}
