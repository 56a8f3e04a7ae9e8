package learned

import (
	"context"
	"math"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// A fitting is a logistic regression over cases, whose offsets are the log odds of the shipped weights. Its weights have a
// normal prior around zero, which stands for the shipped weights alone. The loss is convex, so there is one optimum.
type fitting struct {
	rows      [][]float32 // standardized columns
	odds      []float64
	answer    []bool
	weight    []float64
	mean, dev [lookback.NumColumns]float64
	used      []int // columns that vary
}

// newFitting standardizes the columns of cases.
func newFitting(cases []trainCase) *fitting {
	f := &fitting{}
	var x [lookback.NumColumns]float32
	total := 0.
	var sum, squares [lookback.NumColumns]float64
	for i := range cases {
		c := &cases[i]
		c.x.Columns(&x)
		total += c.weight
		for j, v := range x {
			sum[j] += c.weight * float64(v)
			squares[j] += c.weight * float64(v) * float64(v)
		}
	}
	for j := range sum {
		f.mean[j] = sum[j] / max(total, 1)
		f.dev[j] = math.Sqrt(max(squares[j]/max(total, 1)-f.mean[j]*f.mean[j], 0))
		if f.dev[j] > 1e-4*(1+math.Abs(f.mean[j])) {
			f.used = append(f.used, j)
		}
		if j >= int(lookback.NumFeatures) {
			f.mean[j] = 0
		}
	}
	for i := range cases {
		c := &cases[i]
		c.x.Columns(&x)
		row := make([]float32, len(f.used))
		for k, j := range f.used {
			row[k] = float32((float64(x[j]) - f.mean[j]) / f.dev[j])
		}
		w := c.weight
		if c.bot {
			w *= botWeight
		}
		f.rows, f.odds, f.answer, f.weight = append(f.rows, row), append(f.odds, c.odds), append(f.answer, c.answer), append(f.weight, w)
	}
	return f
}

// fit returns the weights of the columns in f.used for a strength of the prior, by Newton's method from start.
func (f *fitting) fit(ctx context.Context, strength float64, start []float64) ([]float64, error) {
	const steps, enough = 20, 1e-5
	n := len(f.used)
	w := make([]float64, n)
	copy(w, start)
	loss := f.loss(w, strength)
	slope, curve := make([]float64, n), make([]float64, n*n)
	for range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.derive(w, strength, slope, curve)
		step := solve(curve, slope)
		next, better := make([]float64, n), false
		for size := 1.; size > 1e-4; size /= 2 {
			for i := range next {
				next[i] = w[i] - size*step[i]
			}
			if l := f.loss(next, strength); l < loss {
				better = loss-l > enough*(1+loss)
				w, loss = next, l
				break
			}
		}
		if !better {
			break
		}
	}
	return w, nil
}

func (f *fitting) loss(w []float64, strength float64) (sum float64) {
	for i, row := range f.rows {
		sum += f.weight[i] * logLoss(f.odds[i]+dot(row, w), f.answer[i])
	}
	for _, x := range w {
		sum += strength / 2 * x * x
	}
	return sum
}

// derive computes the first and the second derivatives of the loss.
func (f *fitting) derive(w []float64, strength float64, slope, curve []float64) {
	n := len(w)
	clear(curve)
	for i := range slope {
		slope[i] = strength * w[i]
		curve[i*n+i] = strength
	}
	for i, row := range f.rows {
		p := 1 / (1 + math.Exp(-f.odds[i]-dot(row, w)))
		g := p
		if f.answer[i] {
			g--
		}
		g *= f.weight[i]
		h := f.weight[i] * max(p*(1-p), 1e-9)
		for j, x := range row {
			if x == 0 {
				continue
			}
			slope[j] += g * float64(x)
			hx := h * float64(x)
			to := curve[j*n : j*n+j+1]
			for k := range to {
				to[k] += hx * float64(row[k])
			}
		}
	}
}

// solve solves a linear system by the Cholesky decomposition of the lower half of a positive definite matrix, which it replaces.
func solve(a, b []float64) []float64 {
	n := len(b)
	for j := range n {
		for i := j; i < n; i++ {
			s := a[i*n+j]
			for k := range j {
				s -= a[i*n+k] * a[j*n+k]
			}
			if i == j {
				a[i*n+j] = math.Sqrt(max(s, 1e-12))
			} else {
				a[i*n+j] = s / a[j*n+j]
			}
		}
	}
	x := make([]float64, n)
	for i := range n {
		s := b[i]
		for k := range i {
			s -= a[i*n+k] * x[k]
		}
		x[i] = s / a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		s := x[i]
		for k := i + 1; k < n; k++ {
			s -= a[k*n+i] * x[k]
		}
		x[i] = s / a[i*n+i]
	}
	return x
}

// adjustment returns the weights for columns that are not standardized.
func (f *fitting) adjustment(w []float64) *lookback.Adjustment {
	var a lookback.Adjustment
	for k, j := range f.used {
		a.Weights[j] = float32(w[k] / f.dev[j])
		if j < int(lookback.NumFeatures) {
			a.Mean[j] = float32(f.mean[j])
		}
	}
	return &a
}

func dot(row []float32, w []float64) (s float64) {
	for i, x := range row {
		s += float64(x) * w[i]
	}
	return s
}

// logLoss returns the negative log of the chance that odds, log odds, give to an outcome.
func logLoss(odds float64, answer bool) float64 {
	if answer {
		odds = -odds
	}
	if odds > 30 {
		return odds
	}
	return math.Log1p(math.Exp(odds))
}
