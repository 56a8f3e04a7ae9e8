//go:build !purego

#include "textflag.h"

// func dotAVX2(dst *int32, rows *int8, q *int16, dims, n int)
//
// It multiplies four rows at a time, so that each part of q is loaded once for four rows and their sums are added up
// together. For each row it widens 16 bytes to 16 bits, multiplies them with q and adds adjacent products into eight sums.
// The remaining rows follow one by one.
TEXT ·dotAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ dims+24(FP), CX
	MOVQ n+32(FP), BX

	SUBQ $4, BX
	JLT  rest

four:
	LEAQ  (SI)(CX*1), R8
	LEAQ  (SI)(CX*2), R9
	LEAQ  (R8)(CX*2), R10
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

parts:
	PREFETCHT0 1536(SI)(AX*1)
	PREFETCHT0 1536(R8)(AX*1)
	PREFETCHT0 1536(R9)(AX*1)
	PREFETCHT0 1536(R10)(AX*1)
	VMOVDQU   (DX)(AX*2), Y8
	VMOVDQU   32(DX)(AX*2), Y9
	VPMOVSXBW (SI)(AX*1), Y4
	VPMOVSXBW (R8)(AX*1), Y5
	VPMOVSXBW (R9)(AX*1), Y6
	VPMOVSXBW (R10)(AX*1), Y7
	VPMADDWD  Y8, Y4, Y4
	VPMADDWD  Y8, Y5, Y5
	VPMADDWD  Y8, Y6, Y6
	VPMADDWD  Y8, Y7, Y7
	VPADDD    Y4, Y0, Y0
	VPADDD    Y5, Y1, Y1
	VPADDD    Y6, Y2, Y2
	VPADDD    Y7, Y3, Y3
	VPMOVSXBW 16(SI)(AX*1), Y4
	VPMOVSXBW 16(R8)(AX*1), Y5
	VPMOVSXBW 16(R9)(AX*1), Y6
	VPMOVSXBW 16(R10)(AX*1), Y7
	VPMADDWD  Y9, Y4, Y4
	VPMADDWD  Y9, Y5, Y5
	VPMADDWD  Y9, Y6, Y6
	VPMADDWD  Y9, Y7, Y7
	VPADDD    Y4, Y0, Y0
	VPADDD    Y5, Y1, Y1
	VPADDD    Y6, Y2, Y2
	VPADDD    Y7, Y3, Y3
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       parts

	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $16, DI
	LEAQ         (SI)(CX*4), SI
	SUBQ         $4, BX
	JGE          four

rest:
	ADDQ $4, BX
	JZ   done

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

done:
	VZEROUPPER
	RET
