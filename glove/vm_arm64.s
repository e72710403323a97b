#include "textflag.h"

// The virtual machine of the glove; see vm_amd64.s. R19 is the address of the
// current instruction.

#define LOADER 0x10000040
#define FAULT 0x10000000

TEXT ·vm(SB),NOSPLIT|NOFRAME,$0-0
	SUB	$16, RSP
	MOVD	R19, 0(RSP)
	MOVD	$LOADER, R19

loop:
	MOVD	0(R19), R8
	MOVD	8(R19), R0
	MOVD	16(R19), R1
	CMN	$1, R8
	BEQ	add
	CMN	$2, R8
	BEQ	load
	CMN	$3, R8
	BEQ	addto
	CMN	$4, R8
	BEQ	subto
	CMN	$5, R8
	BEQ	leave
	MOVD	24(R19), R2
	MOVD	32(R19), R3
	MOVD	40(R19), R4
	MOVD	48(R19), R5
	SVC

store:
	MOVD	56(R19), R9
	CBZ	R9, branch
	MOVD	R0, (R9)

branch:
	MOVD	64(R19), R9
	CBZ	R9, next
	CMP	$1, R9
	BEQ	onerror
	CMP	$2, R9
	BEQ	onequal
	CMP	$3, R9
	BEQ	onother
	B	jump

next:
	ADD	$88, R19
	B	loop

jump:
	MOVD	80(R19), R19
	B	loop

onerror:
	CMN	$4095, R0
	BLO	next
	MOVD	$FAULT, R9
	MOVD	R19, 0(R9)
	MOVD	R0, 8(R9)
	B	jump

onequal:
	MOVD	72(R19), R9
	CMP	R9, R0
	BEQ	jump
	B	next

onother:
	MOVD	72(R19), R9
	CMP	R9, R0
	BNE	jump
	B	next

add:
	ADD	R1, R0
	B	store

load:
	MOVD	(R0), R0
	B	store

addto:
	MOVD	(R0), R9
	ADD	R1, R9
	MOVD	R9, (R0)
	MOVD	R9, R0
	B	store

subto:
	MOVD	(R0), R9
	SUB	R1, R9
	MOVD	R9, (R0)
	MOVD	R9, R0
	B	store

leave:
	MOVD	0(RSP), R19
	ADD	$16, RSP
	RET

	// The mark of the end.
	WORD	$0x0b0f0b0f
	WORD	$0x564f4c47

TEXT ·vmAddress(SB),NOSPLIT,$0-8
	MOVD	$·vm(SB), R0
	MOVD	R0, ret+0(FP)
	RET
