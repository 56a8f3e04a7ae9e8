//go:build !purego

#include "textflag.h"

// func dotAVX2(dst *int32, rows *int8, q *int16, dims, n int)
//
// It widens 32 bytes of a row to 16 bits, multiplies them with q and adds adjacent products into two registers of eight
// sums. At the end of a row it adds up the sums.
TEXT ·dotAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ dims+24(FP), CX
	MOVQ n+32(FP), BX

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	XORQ  AX, AX

components:
	VPMOVSXBW (SI)(AX*1), Y2
	VPMOVSXBW 16(SI)(AX*1), Y3
	VPMADDWD  (DX)(AX*2), Y2, Y2
	VPMADDWD  32(DX)(AX*2), Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       components

	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)
	ADDQ         $4, DI
	ADDQ         CX, SI
	DECQ         BX
	JNZ          row

	VZEROUPPER
	RET
